import CRLTraceShims

/// Decodes event blocks on a thread of its own, a few ahead of whoever takes them.
///
/// What comes, events or an error, is what `TraceReader.events` would have given at the same call, and damage is noted
/// in the reader when its block is taken: nobody can tell from the results that blocks were decoded ahead. The thread
/// ends with this object.
package final class DecodeAhead {
  /// Below that many events a thread costs more than it brings.
  package static let worthwhileEvents = 4 * UInt64(TraceLimits.eventsPerBlock)

  /// Smaller blocks than this, on average, are not worthwhile: to hand over a block takes as long as to decode a
  /// thousand events.
  package static let worthwhileEventsPerBlock: UInt64 = 4096

  private let reader: TraceReader
  private let blocks: BlocksInHand
  private let thread: NativeThread

  /// `order`: numbers of event blocks, in the order in which they will probably be taken. Nil when the system gives no
  /// thread or the codec cannot be made a second time.
  package init?(_ reader: TraceReader, order: [Int]) {
    guard let codec = reader.codecs(reader.header.codec) else { return nil }
    let blocks = BlocksInHand(
      reader.blocks, order: order, loader: BlockLoader(source: reader.source, codec: codec))
    // Linux often starts a thread on its maker's processor, and both take turns there for milliseconds while another one
    // idles.
    let own = rlt_current_processor()
    let body: @Sendable () -> Void = {
      rlt_leave_processor(own)
      blocks.decode()
    }
    guard let thread = try? NativeThread("rltrace-decode", body) else { return nil }
    self.reader = reader
    self.blocks = blocks
    self.thread = thread
  }

  deinit {
    blocks.stop()
    thread.join()
  }

  /// Whether a second thread runs beside this one: the process may use more than one processor, and there is enough to
  /// decode.
  package static func isWorthwhile(events: UInt64, blocks: Int) -> Bool {
    events >= worthwhileEvents && events / UInt64(max(blocks, 1)) >= worthwhileEventsPerBlock
      && rlt_usable_processors() > 1
  }

  /// As `TraceReader.events`, sooner for blocks in the order that was foretold.
  package func events(of number: Int, into out: DecodedEvents) throws(TraceFormatError) {
    do {
      if try blocks.take(number, into: out) { return }
    } catch {
      reader.noteDamage(error, block: number)
      throw error
    }
    try reader.events(of: number, into: out)
  }
}
