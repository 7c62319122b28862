import TraceFacts

/// Copies of equal passes without their fires, for later use. Reuses its memory.
final class KeptPassFacts {
  private var times = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: 0)
  private var called = UnsafeMutableBufferPointer<EqualPassFacts.Called>.allocate(capacity: 0)
  /// The passes that were kept last.
  private(set) var facts: EqualPassFacts

  init(_ facts: EqualPassFacts) {
    self.facts = facts
    keep(facts)
  }

  deinit {
    times.deallocate()
    called.deallocate()
  }

  func keep(_ facts: EqualPassFacts) {
    let before = facts.continuesPrevious ? facts.length : 0
    let (events, callouts) = (before &+ facts.count &* facts.length, facts.count &* facts.callouts)
    Self.makeRoom(events, in: &times)
    Self.makeRoom(callouts, in: &called)
    let start = times.baseAddress.unsafelyUnwrapped
    start.update(from: facts.times - before, count: events)
    called.baseAddress.unsafelyUnwrapped.update(from: facts.called, count: callouts)
    self.facts = EqualPassFacts(
      facts, times: start + before, called: called.baseAddress.unsafelyUnwrapped)
  }

  /// At least one element, so that there is an address.
  private static func makeRoom<T>(_ count: Int, in buffer: inout UnsafeMutableBufferPointer<T>) {
    guard buffer.count < max(count, 1) else { return }
    buffer.deallocate()
    buffer = .allocate(capacity: max(count, 1))
  }
}
