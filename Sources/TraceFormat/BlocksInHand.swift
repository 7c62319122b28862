/// Blocks between the thread that decodes them and the one that takes them: a ring of a few.
///
/// SAFETY: `condition` guards `decoded`, `taken` and `isStopped`. Of the ring, places `taken..<decoded` are the taker's, the
/// rest the decoder's; a place changes hands under the lock, by a change of one of the two. `loader` is the decoder's
/// alone, and what else there is does not change.
final class BlocksInHand: @unchecked Sendable {
  /// Enough to bridge a block that takes longer than others; each may hold a megabyte.
  private static let places = 4

  private final class Place {
    let events = DecodedEvents()
    var error: TraceFormatError?
  }

  private let blocks: [BlockEntry]
  private let order: [Int]
  private let loader: BlockLoader
  private let ring = (0..<BlocksInHand.places).map { _ in Place() }

  /// How many of `order` are decoded, and how many of those are taken or passed over.
  private var decoded = 0
  private var taken = 0
  private var isStopped = false
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
    while let position = nextToDecode() {
      let number = order[position]
      let place = place(position)
      do {
        place.error = nil
        try loader.events(of: blocks[number], block: number, into: place.events)
      } catch {
        place.error = error
      }
      change { decoded += 1 }
    }
  }

  private func nextToDecode() -> Int? {
    condition.withLock {
      while !isStopped, decoded < order.count, decoded - taken == BlocksInHand.places { condition.wait() }
      return isStopped || decoded == order.count ? nil : decoded
    }
  }

  private func change(_ body: () -> Void) {
    condition.withLock(body)
    condition.signal()
  }

  // MARK: The thread that takes

  /// Hands out the events of a block, or throws what decoding it threw. False when the block is not among the next ones
  /// of the order: then nothing has happened. Those before it are passed over.
  func take(_ number: Int, into out: DecodedEvents) throws(TraceFormatError) -> Bool {
    // Only this thread changes `taken`.
    let next = taken..<min(taken + BlocksInHand.places, order.count)
    guard let position = next.first(where: { order[$0] == number }) else { return false }
    condition.withLock { while decoded <= position { condition.wait() } }
    let error = place(position).error
    if error == nil { out.exchange(with: place(position).events) }
    change { taken = position + 1 }
    if let error { throw error }
    return true
  }

  /// No further block is decoded.
  func stop() { change { isStopped = true } }
}
