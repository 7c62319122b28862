import SystemSupport
import TraceFormat

/// Files with working names. A signal that ends the command removes them first.
///
/// A signal handler must not wait for a lock that its own thread may hold. So a thread blocks the signals while it makes
/// a file and enters it into the list, and the list only grows.
enum UnfinishedFiles {
  /// Signals that a user, a limit or a timer sends to end a process.
  static let signals: [Int32] = [
    SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2,
  ]

  private struct Node {
    var name: UnsafeMutablePointer<CChar>?
    let next: UnsafeMutablePointer<Node>?
  }

  nonisolated(unsafe) private static var newest: UnsafeMutablePointer<Node>?
  nonisolated(unsafe) private static var isArmed = false
  /// Set while a file is made, and for good when the files are removed.
  private static let isTaken = AtomicFlag()
  private static let isEnding = AtomicFlag()

  static func made(_ make: () throws(TraceFormatError) -> FileSink) throws(TraceFormatError) -> FileSink {
    try made(\.self, make)
  }

  /// Returns what `make` opens. Signals are blocked until the file is in the list.
  static func made<Made>(
    _ sink: KeyPath<Made, FileSink>, _ make: () throws(TraceFormatError) -> Made
  ) throws(TraceFormatError) -> Made {
    var signals = blockSignals()
    defer { pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
    take()
    defer { isTaken.isSet = false }
    let made = try make()
    arm()
    let node = UnsafeMutablePointer<Node>.allocate(capacity: 1)
    node.initialize(to: Node(name: strdup(made[keyPath: sink].workingName), next: newest))
    newest = node
    return made
  }

  /// Runs a short `body` that leaves no unfinished file. Signals are blocked meanwhile.
  static func undisturbed(_ body: () throws(TraceFormatError) -> Void) throws(TraceFormatError) {
    var signals = blockSignals()
    defer { pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
    try body()
  }

  /// Returns the blocked signals. A pool thread may already have them blocked, and a program started from it would
  /// inherit that. So they are unblocked later, not restored.
  private static func blockSignals() -> sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in UnfinishedFiles.signals { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    return signals
  }

  /// Makes a signal end the command with 128 + its number from now on. An ignored signal stays ignored, such as
  /// SIGHUP under `nohup`.
  static func arm() {
    guard !isArmed else { return }
    isArmed = true
    // A handler must not be the first to use a flag.
    _ = (isTaken, isEnding)
    for number in signals where !isIgnored(signal: number) {
      signal(number) { number in UnfinishedFiles.end(128 + number) }
    }
  }

  /// Waits until no other thread makes a file.
  private static func take() { while isTaken.exchange(true) { sched_yield() } }

  /// Removes a file from the list because it has its final name or is gone. Needed if another process may use the
  /// working name later.
  static func forget(_ sink: FileSink) {
    var node = newest
    while let each = node {
      if let name = each.pointee.name, strcmp(name, sink.workingName) == 0 { each.pointee.name = nil }
      node = each.pointee.next
    }
  }

  /// Removes the unfinished files and ends the process. Returns if the process is already ending, for example if the
  /// signal came during another one.
  static func end(_ status: Int32) {
    guard !isEnding.exchange(true) else { return }
    take()
    var node = newest
    while let each = node?.pointee {
      // A file that has its final name no longer exists under its working name.
      if let name = each.name { unlink(name) }
      node = each.next
    }
    _exit(status)
  }
}
