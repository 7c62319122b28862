import CRLTraceShims
import SystemSupport

/// Decodes event blocks on a thread of its own, a few blocks ahead of the caller.
///
/// Each call returns the events, or throws the error, that `TraceReader.events` would have given. Damage is noted in
/// the reader when the block is taken. So the results do not show that blocks were decoded ahead. The thread ends
/// with this object.
package final class DecodeAhead {
  /// The number of events below which a thread costs more than it saves.
  package static let worthwhileEvents = 4 * UInt64(TraceLimits.eventsPerBlock)

  /// The minimum average number of events per block. Handing over a block takes as long as decoding a thousand
  /// events.
  package static let worthwhileEventsPerBlock: UInt64 = 4096

  private let reader: TraceReader
  private let blocks: DecodedBlockRing
  private let thread: NativeThread

  /// `order`: the numbers of event blocks, in the order in which the caller will probably take them. Returns
  /// nil when the system cannot start a thread or the codec cannot be created a second time.
  package init?(_ reader: TraceReader, order: [Int]) {
    guard let codec = reader.codecs(reader.header.codec) else { return nil }
    let blocks = DecodedBlockRing(
      reader.blocks, order: order, loader: BlockLoader(source: reader.source, codec: codec))
    // Linux often starts a thread on the processor of its creator. The two then take turns for milliseconds while
    // another processor is idle.
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

  /// Returns whether a second thread pays off: the process may use more than one processor, and there is enough to
  /// decode.
  package static func isWorthwhile(events: UInt64, blocks: Int) -> Bool {
    events >= worthwhileEvents && events / UInt64(max(blocks, 1)) >= worthwhileEventsPerBlock
      && rlt_usable_processors() > 1
  }

  /// Does the same as `TraceReader.events`, faster for blocks in the announced order.
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
