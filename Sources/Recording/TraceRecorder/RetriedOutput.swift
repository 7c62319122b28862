import SystemSupport
import TraceFormat

/// The output of a reader. After an attempt to write failed, nothing is written until the next attempt is due.
/// Meanwhile, events wait in their rings.
final class RetriedOutput {
  private static let retryIntervalNs: UInt64 = 100_000_000

  /// Nil if it could not be made.
  let target: (any SpoolOutput)?
  /// Why there can be no trace. The stored events stay in place for a later recovery.
  private(set) var failure: TraceFormatError?
  /// Why the last attempt to write failed. The next attempt is at `retryNs`.
  private var obstacle: TraceFormatError?
  private var retryNs: UInt64 = 0
  /// The order of the written blocks. In a damaged file, several rings may claim the same thread.
  var order = BlockOrder()
  /// The flat blocks.
  private(set) var flat = (blocks: UInt64(0), bytes: UInt64(0))

  init(_ make: () throws(TraceFormatError) -> any SpoolOutput) {
    do throws(TraceFormatError) {
      target = try make()
    } catch {
      target = nil
      failure = error
    }
  }

  /// Whether the last attempt failed, and the next one is not due.
  var isWaiting: Bool { obstacle != nil }
  /// Whether an attempt can be made now.
  var isReady: Bool { failure == nil && !isWaiting }

  /// Whether the last attempt failed for lack of room, which may be available again later.
  var lacksRoom: Bool {
    guard case .system(_, let code) = obstacle else { return false }
    return code == ENOSPC || code == EDQUOT
  }

  /// Runs `body` unless writing is failing. Returns false if it is, or if `body` failed: nothing was written.
  @discardableResult
  func attempt(_ body: (any SpoolOutput) throws(TraceFormatError) -> Void) -> Bool {
    guard isReady, let target else { return false }
    do throws(TraceFormatError) {
      try body(target)
      return true
    } catch {
      obstacle = error
      return false
    }
  }

  /// Writes the events of a thread as a block, which may be flat.
  func write(_ events: EventBuffer, thread: UInt32, isFlat: Bool = false) -> Bool {
    guard !events.isEmpty else { return true }
    events.raise(to: order.end(of: thread))
    var flatBytes = 0
    let isWritten = attempt { target throws(TraceFormatError) in
      flatBytes = try target.write(events, thread: thread, isFlat: isFlat)
    }
    guard isWritten else { return false }
    if flatBytes > 0 {
      flat.blocks &+= 1
      flat.bytes &+= UInt64(flatBytes)
    }
    order.note(thread, end: events.lastTime)
    return true
  }

  /// Allows a further attempt if it is due at `now`.
  func retry(at now: ClockReading) {
    guard obstacle != nil else { return }
    if retryNs == 0 { retryNs = now.monotonicNs + RetriedOutput.retryIntervalNs }
    if now.monotonicNs >= retryNs { (obstacle, retryNs) = (nil, 0) }
  }

  /// Allows a further attempt now.
  func retry() { obstacle = nil }

  /// Makes the last obstacle final: there is no further attempt.
  func giveUp() { failure = failure ?? obstacle }
}
