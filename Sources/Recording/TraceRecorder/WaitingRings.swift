import TraceFormat

/// How far each ring was read, and the events that wait to be written. By ring number, for rings that were ever in use.
struct WaitingRings {
  /// The longest wait of a block's first event. A block is written earlier if it is full, or half its ring is.
  static let blockPatienceNs: UInt64 = 2_000_000_000
  private static let threadsOfUsualPatience = 256
  private static let spareBuffersKept = 8

  var pending: [PendingEvents?] = []
  /// The position up to which each ring was read.
  var cursors: [UInt64] = []
  /// Whether the rings in use were looked at before. Later ones are new.
  private var knowsRings = false
  private var spareBuffers: [EventBuffer] = []

  /// Returns the numbers of the rings that were ever in use. These are the first ones.
  mutating func used(of spool: Spool) -> Range<Int> {
    let used = spool.usedRings
    while cursors.count < used {
      let number = cursors.count
      // A reader that only looks may find a new ring after some of its events were given back.
      cursors.append(spool.isReadOnly && knowsRings ? spool.ring(number).claimedHead : spool.start(number))
      pending.append(nil)
    }
    knowsRings = true
    return 0..<used
  }

  /// The longest wait of a block. It is longer with very many threads, because the number of blocks of a trace is
  /// limited.
  var timeLimitNs: UInt64 {
    let waiting = pending.reduce(0) { $0 + ($1 == nil ? 0 : 1) }
    return WaitingRings.blockPatienceNs * UInt64(max(1, waiting / WaitingRings.threadsOfUsualPatience))
  }

  /// Returns the thread of a ring, limited to those that a trace may have.
  static func thread(of ring: SpoolRing) -> UInt32 {
    min(ring.thread, UInt32(clamping: TraceLimits.threads - 1))
  }

  /// Returns the waiting events of a ring's present thread. Events that are added to an empty buffer wait since `now`.
  mutating func events(of ring: SpoolRing, _ number: Int, now: ClockReading) -> PendingEvents {
    let thread = WaitingRings.thread(of: ring)
    if let buffer = pending[number], buffer.thread == thread { return buffer }
    let buffer = PendingEvents(
      thread: thread, events: spareBuffers.popLast() ?? EventBuffer(), since: now.monotonicNs)
    pending[number] = buffer
    return buffer
  }

  /// Forgets a ring whose thread ended. Its buffer, which is empty, is used again.
  mutating func release(_ number: Int) {
    if let ended = pending[number], spareBuffers.count < WaitingRings.spareBuffersKept {
      spareBuffers.append(ended.events)
    }
    pending[number] = nil
  }

  /// Notes that all events that wait now were read before any cut of the spool.
  func makeSure() {
    for case let waiting? in pending { waiting.sureCount = waiting.events.count }
  }

  /// Removes the events that were read after the spool may have been cut.
  func removeUnsure() {
    for case let waiting? in pending { waiting.events.removeLast(waiting.events.count - waiting.sureCount) }
  }
}
