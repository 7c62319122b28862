import CRLTraceShims
import SystemSupport

/// A small ring of blocks between the thread that decodes them and the thread that takes them.
///
/// SAFETY: Places `taken..<decoded` of the ring belong to the taking thread, the others to the decoding thread. A
/// place changes hands when one of the two counters changes, and each counter has one writing thread. Only the
/// decoding thread uses `loader`. Everything else is immutable.
final class DecodedBlockRing: @unchecked Sendable {
  /// One block is decoded while the other waits to be taken. More places would hide longer pauses of the decoding
  /// thread. But each place is a megabyte of fresh memory, and touching it takes as long as decoding a few blocks.
  private static let places = 2

  private final class Place {
    let events = DecodedEvents()
    var error: TraceFormatError?
  }

  private let blocks: [BlockEntry]
  private let order: [Int]
  private let loader: BlockLoader
  private let ring = (0..<DecodedBlockRing.places).map { _ in Place() }

  /// The number of blocks of `order` that are decoded, and the number of these that are taken or skipped.
  private let decoded = AtomicWord()
  private let taken = AtomicWord()
  private let isStopped = AtomicFlag()
  /// Signalled when one of the three properties above changes.
  private let condition = Condition()

  init(_ blocks: [BlockEntry], order: [Int], loader: BlockLoader) {
    self.blocks = blocks
    self.order = order
    self.loader = loader
  }

  private func place(_ position: Int) -> Place { ring[position % DecodedBlockRing.places] }

  // MARK: The decoding thread

  /// Decodes the blocks in order, until there are no more or `stop` is called.
  func decode() {
    for position in order.indices {
      wait { isStopped.isSet || position - Int(taken.value) < DecodedBlockRing.places }
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

  // MARK: The taking thread

  /// Returns the events of a block in `out`, or throws the error of its decoding. Skips the blocks before it.
  ///
  /// Returns false, without any effect, when the block is not among the next ones of the order.
  func take(_ number: Int, into out: DecodedEvents) throws(TraceFormatError) -> Bool {
    let taken = Int(taken.value)
    let next = taken..<min(taken + DecodedBlockRing.places, order.count)
    guard let position = next.first(where: { order[$0] == number }) else { return false }
    wait { position < Int(decoded.value) }
    let error = place(position).error
    if error == nil { out.exchange(with: place(position).events) }
    change { self.taken.value = UInt64(position + 1) }
    if let error { throw error }
    return true
  }

  /// Stops decoding after the current block.
  func stop() { change { isStopped.isSet = true } }

  // MARK: Waiting for the other thread

  /// The time to spin before sleeping. The other thread usually finishes sooner than it takes to decode a block. A
  /// sleep and the wake-up take longer, and slow down the code that runs next.
  private static let lookingNs: UInt64 = 100_000

  private func wait(until isTrue: () -> Bool) {
    if isTrue() { return }
    let end = rlt_monotonic_ns() + DecodedBlockRing.lookingNs
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
