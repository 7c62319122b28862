import SystemSupport

/// A reason why another process gave no answer.
enum SideProcessError: Error, Equatable {
  case cannotStart(code: Int32)
  case ended
  case timedOut
}

/// Another process that answers requests through a socket, which is its standard input and output. It may hang, die
/// or send garbage. So waiting has a limit, and its owner kills it on release.
final class SideProcess {
  private let process: pid_t
  private let socket: Int32

  private init(process: pid_t, socket: Int32) {
    self.process = process
    self.socket = socket
  }

  deinit {
    close(socket)
    kill(process, SIGKILL)
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
  }

  /// Starts a program. Its standard error is discarded.
  static func program(
    _ path: String, arguments: [String], environment: [String]
  ) throws(SideProcessError) -> SideProcess {
    let ends = try socketPair()
    defer { close(ends.theirs) }
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = unsafe posix_spawn_file_actions_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends.theirs, STDIN_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends.theirs, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var process = pid_t()
    let code = unsafe withCStrings([path] + arguments) { arguments in
      unsafe withCStrings(environment) { variables in
        unsafe posix_spawn(&process, path, &actions, nil, arguments, variables)
      }
    }
    guard code == 0 else {
      close(ends.ours)
      throw .cannotStart(code: code)
    }
    return SideProcess(process: process, socket: ends.ours)
  }

  /// The maximum number of descriptors to close, because a system may allow a billion of them.
  private static let descriptorsClosed = 1 << 14

  /// Starts a copy of this process that runs `body` with its end of the socket. `body` cannot affect this process.
  /// The copy has one thread and none of the open files.
  static func copy(body: (_ socket: Int32) -> Void) throws(SideProcessError) -> SideProcess {
    let ends = try socketPair()
    let process = forkProcess()
    if process == 0 {
      close(ends.ours)
      // The signal handlers of this process are only for its own crashes.
      for number in [SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGTRAP, SIGFPE, SIGTERM, SIGINT] {
        signal(number, SIG_DFL)
      }
      // Discards the copy's output and closes all other files. An inherited end of another copy's socket would keep
      // that copy waiting indefinitely; an inherited pipe would do the same to its reader.
      let nowhere = unsafe open("/dev/null", O_RDWR)
      dup2(ends.theirs, STDIN_FILENO)
      for descriptor in [STDOUT_FILENO, STDERR_FILENO] { dup2(nowhere, descriptor) }
      let all = min(sysconf(Int32(_SC_OPEN_MAX)), descriptorsClosed)
      for descriptor in 3..<max(all, 3) { close(Int32(descriptor)) }
      body(STDIN_FILENO)
      _exit(0)
    }
    close(ends.theirs)
    guard process > 0 else {
      close(ends.ours)
      throw .cannotStart(code: errno)
    }
    return SideProcess(process: process, socket: ends.ours)
  }

  private static func socketPair() throws(SideProcessError) -> (ours: Int32, theirs: Int32) {
    var ends: [Int32] = [-1, -1]
    #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .cannotStart(code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    #if canImport(Darwin)
    var one: Int32 = 1
    unsafe setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
    #endif
    return (ends[0], ends[1])
  }

  #if canImport(Darwin)
  private static let sendFlags = MSG_DONTWAIT
  #else
  private static let sendFlags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
  #endif

  /// Sends `request` and passes what is received to `take`, until that returns true. Sends and receives at the same
  /// time, because the buffers of both sides are limited. Throws when nothing is received for `limitMs`.
  func exchange(
    _ request: [UInt8], limitMs: Int, take: (ArraySlice<UInt8>) -> Bool
  ) throws(SideProcessError) {
    var sent = 0
    var lastAnswer = monotonicMs()
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let left = limitMs - (monotonicMs() - lastAnswer)
      guard left > 0 else { throw .timedOut }
      var state = pollfd(
        fd: socket, events: Int16(sent < request.count ? POLLIN | POLLOUT : POLLIN), revents: 0)
      let ready = unsafe poll(&state, 1, Int32(clamping: left))
      guard ready >= 0 || errno == EINTR else { throw .ended }
      guard ready > 0 else { continue }
      if Int32(state.revents) & Int32(POLLOUT) != 0 {
        let count = unsafe request[sent...].withUnsafeBytes {
          unsafe send(socket, $0.baseAddress, $0.count, SideProcess.sendFlags)
        }
        guard count >= 0 || errno == EAGAIN || errno == EINTR else { throw .ended }
        sent += max(count, 0)
      }
      guard Int32(state.revents) & Int32(POLLIN | POLLHUP | POLLERR) != 0 else { continue }
      let count = unsafe chunk.withUnsafeMutableBytes {
        unsafe recv(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
      }
      guard count != 0, count > 0 || errno == EAGAIN || errno == EINTR else { throw .ended }
      guard count > 0 else { continue }
      lastAnswer = monotonicMs()
      if take(chunk[..<count]) { return }
    }
  }
}

func monotonicMs() -> Int {
  var now = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &now)
  return Int(now.tv_sec) * 1000 + Int(now.tv_nsec) / 1_000_000
}

private func withCStrings<R>(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
) -> R {
  var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
  defer { unsafe pointers.forEach { unsafe free($0) } }
  return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress!) }
}

// Swift hides fork, because a copy of a process with several threads may do little: see `BoundedDemangler`.
@_silgen_name("fork")
private func forkProcess() -> pid_t
