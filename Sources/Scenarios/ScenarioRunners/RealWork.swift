import CRLTraceShims
import Foundation
import Scenario

/// Spends real time on a thread by computing, by sleeping, or by waiting for what programs usually wait for.
package final class RealWork {
  private let peer: PeerProcess
  private lazy var connection = LoopbackConnection()

  /// `peerCommand`: a program that answers on its standard streams, see `PeerProcess`.
  package init(peerCommand: [String]) { peer = PeerProcess(command: peerCommand) }

  /// Ends the peer process.
  package func end() { peer.end() }

  func spend(_ work: Scenario.Work, ns: UInt64) {
    let end = rlt_monotonic_ns() + ns
    switch work {
    case .cpu: while rlt_monotonic_ns() < end {}
    case .sleep: sleepFor(ns)
    case .disk: useDisk(until: end)
    case .lock: waitForLock(ns)
    case .ipc: if !peer.ask(ns) { sleep(until: end) }
    case .network: if !connection.ask(ns) { sleep(until: end) }
    }
  }

  private func sleep(until end: UInt64) {
    let now = rlt_monotonic_ns()
    if now < end { sleepFor(end - now) }
  }

  /// Writes a file to the disk repeatedly.
  private func useDisk(until end: UInt64) {
    // An unpredictable name, so that no link can be placed there beforehand.
    var path = FileManager.default.temporaryDirectory.appendingPathComponent("rltrace-XXXXXX").path
      .utf8CString
    let descriptor = path.withUnsafeMutableBufferPointer { mkstemp($0.baseAddress!) }
    guard descriptor >= 0 else { return sleep(until: end) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    path.withUnsafeBufferPointer { _ = unlink($0.baseAddress!) }
    defer { close(descriptor) }
    let block = [UInt8](repeating: 0x5A, count: 1 << 16)
    while rlt_monotonic_ns() < end {
      guard pwrite(descriptor, block, block.count, 0) == block.count, fsync(descriptor) == 0 else {
        return sleep(until: end)
      }
    }
  }

  /// Waits for a lock that another thread holds for `ns`.
  private func waitForLock(_ ns: UInt64) {
    let lock = NSLock()
    let isHeld = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      rlt_name_thread("lock holder")
      lock.lock()
      isHeld.signal()
      sleepFor(ns)
      lock.unlock()
    }
    isHeld.wait()
    lock.lock()
    lock.unlock()
  }

  /// Stops this process for a time, by means of a helper process.
  func suspend(ns: UInt64) {
    let before = rlt_monotonic_ns()
    let script = "kill -STOP \(getpid()); sleep \(Double(ns) / 1e9); kill -CONT \(getpid())"
    guard let helper = spawn(["/bin/sh", "-c", script], input: nil, output: nil) else { return sleepFor(ns) }
    // The stop comes while this process waits for the helper to end.
    var status: Int32 = 0
    while waitpid(helper, &status, 0) < 0, errno == EINTR {}
    sleep(until: before + ns)
  }
}

extension RealWork: @unchecked Sendable {}

/// Starts a program with the given streams; nil when it cannot be started.
func spawn(_ command: [String], input: Int32?, output: Int32?) -> pid_t? {
  #if canImport(Darwin)
  var actions: posix_spawn_file_actions_t?
  var attributes: posix_spawnattr_t?
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_CLOEXEC_DEFAULT))
  #else
  var actions = posix_spawn_file_actions_t()
  #endif
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  if let input { posix_spawn_file_actions_adddup2(&actions, input, 0) }
  if let output { posix_spawn_file_actions_adddup2(&actions, output, 1) }
  var arguments = command.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var process = pid_t()
  #if canImport(Darwin)
  let code = posix_spawn(&process, command[0], &actions, &attributes, &arguments, environ)
  #else
  let code = posix_spawn(&process, command[0], &actions, nil, &arguments, environ)
  #endif
  return code == 0 ? process : nil
}

func sleepFor(_ ns: UInt64) {
  var wanted = timespec(tv_sec: Int(ns / 1_000_000_000), tv_nsec: Int(ns % 1_000_000_000))
  var left = timespec()
  while nanosleep(&wanted, &left) != 0, errno == EINTR { wanted = left }
}
