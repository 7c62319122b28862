import TraceFormat

/// Files under working names: SIGINT and SIGTERM remove them, and end the process as they do any other.
///
/// A signal's handler may not wait for anybody: it finds a list that only grows.
enum UnfinishedFiles {
  private struct Node {
    let name: UnsafeMutablePointer<CChar>?
    let next: UnsafeMutablePointer<Node>?
  }

  nonisolated(unsafe) private static var newest: UnsafeMutablePointer<Node>?

  /// What `make` opens; no signal comes between the making and the list.
  static func made(_ make: () throws(TraceFormatError) -> FileSink) throws(TraceFormatError) -> FileSink {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM] { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    // Who starts programs from a pool's thread hands on what that has blocked, and means nothing by it.
    defer { pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
    let sink = try make()
    if newest == nil { for number in [SIGINT, SIGTERM] where !isIgnored(signal: number) { arm(number) } }
    let node = UnsafeMutablePointer<Node>.allocate(capacity: 1)
    node.initialize(to: Node(name: strdup(sink.workingName), next: newest))
    newest = node
    return sink
  }

  private static func arm(_ number: Int32) {
    signal(number) { number in
      UnfinishedFiles.remove()
      _exit(128 + number)
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
