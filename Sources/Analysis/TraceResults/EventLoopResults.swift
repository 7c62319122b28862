import RunLoopVocabulary

/// Which loops an analysis has, and what counts as held up.
extension Analysis {
  /// Whether the recording has event loops or pools, and no run loop.
  package var hasOnlyEventLoops: Bool { !loops.isEmpty && !loops.contains { $0.kind == .runLoop } }

  /// Returns the kind of a thread's event loop; nil = it has none. A thread with loops of both kinds counts as one with
  /// a list.
  package func eventLoop(of thread: UInt32) -> LoopKind? {
    let kinds = loops.lazy.filter { $0.thread.index == thread && $0.kind.isEventLoop }.map(\.kind)
    return kinds.contains(.list) ? .list : kinds.first
  }

  /// Returns whether a gap or busy interval may have held something up. The waits of a list are known by the place of
  /// their call, so the thread may do other things between them: something must be seen to have waited.
  package func countsAsHeld(_ span: some LongSpan) -> Bool {
    span.waited.isShown || eventLoop(of: span.thread) != .list
  }

  /// Returns whether a span is the last pass of an event loop that does not wait again. The thread may have left the
  /// loop, which the recorder notices late or never.
  package func mayHaveLeft(_ span: some LongSpan) -> Bool { span.isOpen && eventLoop(of: span.thread) != nil }
}
