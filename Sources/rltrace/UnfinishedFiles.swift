import TraceFormat

/// Files with working names. A signal that ends the command removes them first.
///
/// A signal's handler may not wait for anybody: it finds a list that only grows.
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

  static func made(_ make: () throws(TraceFormatError) -> FileSink) throws(TraceFormatError) -> FileSink {
    try made(\.self, make)
  }

  /// What `make` opens; no signal comes between the making and the list.
  static func made<Made>(
    _ sink: KeyPath<Made, FileSink>, _ make: () throws(TraceFormatError) -> Made
  ) throws(TraceFormatError) -> Made {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in UnfinishedFiles.signals { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    // Who starts programs from a pool's thread hands on what that has blocked, and means nothing by it.
    defer { pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
    let made = try make()
    arm()
    let node = UnsafeMutablePointer<Node>.allocate(capacity: 1)
    node.initialize(to: Node(name: strdup(made[keyPath: sink].workingName), next: newest))
    newest = node
    return made
  }

  /// From now on, a signal ends the command with 128 + its number. An ignored signal stays ignored, as SIGHUP under
  /// `nohup`.
  static func arm() {
    guard !isArmed else { return }
    isArmed = true
    for number in signals where !isIgnored(signal: number) {
      signal(number) { number in
        UnfinishedFiles.remove()
        _exit(128 + number)
      }
    }
  }

  /// The file has its final name, or is gone. For working names that another process may use later.
  static func forget(_ sink: FileSink) {
    var node = newest
    while let each = node {
      if let name = each.pointee.name, strcmp(name, sink.workingName) == 0 { each.pointee.name = nil }
      node = each.pointee.next
    }
  }

  /// Before the process ends in the middle of something.
  static func remove() {
    var node = newest
    while let each = node?.pointee {
      // What has its final name by now is not there under this one.
      if let name = each.name { unlink(name) }
      node = each.next
    }
  }
}

/// By this process, or by who started it, as of what a script starts in the background.
func isIgnored(signal number: Int32) -> Bool {
  var action = sigaction()
  sigaction(number, nil, &action)
  return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
}
