import CRLTraceShims

/// Blocks between the thread that decodes them and the one that takes them: a ring of a few.
///
/// SAFETY: of the ring, places `taken..<decoded` are the taker's, the rest the decoder's; a place changes hands by a change
/// of one of the two, which only its own thread makes. `loader` is the decoder's alone, and what else there is does not
/// change.
final class BlocksInHand: @unchecked Sendable {
  /// One that is decoded while the other waits to be taken. More would hide longer breaks of the decoding thread, but each
  /// is a megabyte that is touched for the first time, which takes as long as decoding a few blocks.
  private static let places = 2

  private final class Place {
    let events = DecodedEvents()
    var error: TraceFormatError?
  }

  private let blocks: [BlockEntry]
  private let order: [Int]
  private let loader: BlockLoader
  private let ring = (0..<BlocksInHand.places).map { _ in Place() }

  /// How many of `order` are decoded, and how many of those are taken or passed over.
  private let decoded = AtomicWord()
  private let taken = AtomicWord()
  private let isStopped = AtomicFlag()
  /// Changes when one of the three does.
  private let condition = Condition()

  init(_ blocks: [BlockEntry], order: [Int], loader: BlockLoader) {
    self.blocks = blocks
    self.order = order
    self.loader = loader
  }

  private func place(_ position: Int) -> Place { ring[position % BlocksInHand.places] }

  // MARK: The decoding thread

  /// Decodes one block after the other, until there are no more or `stop` is called.
  func decode() {
    for position in order.indices {
      wait { isStopped.isSet || position - Int(taken.value) < BlocksInHand.places }
      guard !isStopped.isSet else { return }
      let number = order[position]
      let place = place(position)
      do {
        place.error = nil
        try loader.events(of: blocks[number], block: number, into: place.events)
      } catch {
        place.error = error
      }
      change { decoded.value = UInt64(position + 1) }
    }
  }

  // MARK: The thread that takes

  /// Hands out the events of a block, or throws what decoding it threw. False when the block is not among the next ones
  /// of the order: then nothing has happened. Those before it are passed over.
  func take(_ number: Int, into out: DecodedEvents) throws(TraceFormatError) -> Bool {
    let taken = Int(taken.value)
    let next = taken..<min(taken + BlocksInHand.places, order.count)
    guard let position = next.first(where: { order[$0] == number }) else { return false }
    wait { position < Int(decoded.value) }
    let error = place(position).error
    if error == nil { out.exchange(with: place(position).events) }
    change { self.taken.value = UInt64(position + 1) }
    if let error { throw error }
    return true
  }

  /// No further block is decoded.
  func stop() { change { isStopped.isSet = true } }

  // MARK: Waiting for each other

  /// Mostly the other thread is done within a part of a block's time: a sleep, and the processor's way out of it, takes
  /// longer, and slows down what runs after it.
  private static let lookingNs: UInt64 = 100_000

  private func wait(until isTrue: () -> Bool) {
    if isTrue() { return }
    let end = rlt_monotonic_ns() + BlocksInHand.lookingNs
    while rlt_monotonic_ns() < end {
      for _ in 0..<16 { rlt_atomic_relax() }
      if isTrue() { return }
    }
    condition.withLock { while !isTrue() { condition.wait() } }
  }

  private func change(_ body: () -> Void) {
    condition.withLock(body)
    condition.signal()
  }
}
