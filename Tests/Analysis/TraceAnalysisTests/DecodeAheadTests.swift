import SystemSupport
import TestSupport
import Testing
import TextReport
import TraceAnalysis
import TraceCompression
import TraceFormat

/// Decoding blocks on a second thread, or repeatedly in pieces, must not change any result.
@Suite struct DecodeAheadTests {
  /// A source in memory that counts its reads and can refuse to read at one offset.
  private final class WatchedSource: ByteSource {
    private let memory: MemorySource
    private let refused: UInt64?
    private let readsOfOffset = Locked<[UInt64: Int]>([:])

    init(_ bytes: [UInt8], refused: UInt64? = nil) {
      memory = MemorySource(bytes)
      self.refused = refused
    }

    var size: UInt64 { memory.size }

    func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) throws(TraceFormatError) -> Int {
      // Opening a trace reads the header of each block.
      guard target.count > 40 else { return memory.read(at: offset, into: target) }
      if offset == refused { throw .system(.reading, code: 5) }
      readsOfOffset.withLock { $0[offset, default: 0] += 1 }
      return memory.read(at: offset, into: target)
    }

    func reads(at offset: UInt64) -> Int { readsOfOffset.withLock { $0[offset] ?? 0 } }
  }

  /// All results of an analysis.
  private struct Outcome: Equatable {
    var json = ""
    var error: TraceFormatError?
    var damage: TraceFormatError?
    var problem: TraceFormatError?
    var damagedBlocks = 0
    var isClean = false
    /// The last value of the progress.
    var progress = 0.0
  }

  private func outcome(
    _ source: WatchedSource, ahead: Bool, to: UInt64? = nil, openEvents: Int? = nil
  ) throws -> Outcome {
    let reader = try TraceReader(source: source, codecs: allCodecs)
    var options = AnalysisOptions()
    options.replay.decodesAhead = ahead
    if let openEvents {
      options.replay.openEvents = openEvents
      // Decoding a block again costs steps.
      options.replay.steps = 1 << 40
    }
    options.to = to
    var outcome = Outcome()
    do throws(TraceFormatError) {
      let analysis = try TraceAnalyzer(reader, options: options).analyze { outcome.progress = $0 }
      outcome.json = (try? AnalysisJSON.encode([("x", analysis)])) ?? "not encoded"
      outcome.damage = analysis.damage
    } catch {
      outcome.error = error
    }
    outcome.problem = reader.problem
    outcome.damagedBlocks = reader.damagedBlocks
    outcome.isClean = reader.isClean
    return outcome
  }

  /// Expects the same outcome with and without decoding ahead, and returns it. `rooms`: the numbers of events for which
  /// a block is decoded again and again.
  @discardableResult
  private func same(
    _ bytes: [UInt8], to: UInt64? = nil, refused: UInt64? = nil, rooms: [Int] = [1, 40, 500]
  ) throws -> Outcome {
    let plain = try outcome(WatchedSource(bytes, refused: refused), ahead: false, to: to)
    let ahead = try outcome(WatchedSource(bytes, refused: refused), ahead: true, to: to)
    #expect(plain == ahead, "\(TestSeed.note)")
    // Keeping blocks in pieces must not change the outcome either.
    for room in rooms {
      let pieces = try outcome(
        WatchedSource(bytes, refused: refused), ahead: room == 40, to: to, openEvents: room)
      #expect(pieces == ahead, "room for \(room) events, \(TestSeed.note)")
    }
    return ahead
  }

  /// Returns a trace of `threads` loops with `blocks` blocks of 100 passes each. `step`: the time between the starts
  /// of a thread's blocks. A pass takes 10.
  private func trace(threads: UInt64 = 1, blocks: UInt64, step: UInt64 = 1000) throws -> [UInt8] {
    try writeTrace(codec: .zstd, hasHighStamps: false) { writer in
      try writer.write([StringDefinition(id: 1, text: "source"), StringDefinition(id: 2, text: "loop")])
      try writer.write([ModeDefinition(id: 1, name: "mode")])
      try writer.write(
        (0..<threads).map {
          ThreadDefinition(index: UInt32($0), osThread: $0 + 1, isMain: $0 == 0, name: "thread \($0)")
        })
      for block in 0..<blocks {
        for thread in 0..<threads {
          let buffer = EventBuffer()
          let loop = UInt32(thread + 1)
          for pass in 0..<100 as Range<UInt64> {
            let time = block * step + pass * 10 + thread % 7
            func add(_ kind: EventKind, _ after: UInt64, _ object: UInt32) {
              buffer.append(time: time + after, kind: kind.rawValue, mode: 1, object: object)
            }
            if block == 0, pass == 0 { add(.entryLow, 0, loop) }
            add(.beforeTimersLow, 0, loop)
            add(.beforeSourcesLow, 1, loop)
            add(.source0Begin, 1, 1000 + loop)
            add(.source0End, 2 + pass % 3, 1000 + loop)
            add(.beforeWaitingLow, 5, loop)
            add(.afterWaitingLow, 8, loop)
          }
          try writer.write(buffer, thread: UInt32(thread))
        }
      }
    }
  }

  private func eventBlocks(_ bytes: [UInt8]) throws -> [BlockEntry] {
    try openTrace(bytes).blocks.filter { $0.type == .events }
  }

  @Test(.optimizedBuild) func oneThread() throws {
    let bytes = try trace(blocks: 40)
    let outcome = try same(bytes)
    #expect(outcome.isClean && outcome.progress == 1)
    // Only one thread reads each block, and only once.
    let source = WatchedSource(bytes)
    _ = try self.outcome(source, ahead: true)
    #expect(try eventBlocks(bytes).allSatisfy { source.reads(at: $0.offset) == 1 })
  }

  /// The blocks of many threads overlap, so they are opened in a different order.
  @Test(.optimizedBuild) func manyThreads() throws {
    for step in [1000, 700, 30_000] as [UInt64] {
      let bytes = try trace(threads: 40, blocks: 6, step: step)
      // Room for one event means 144,000 decoded blocks.
      try same(bytes, rooms: [TestRounds.isLong ? 1 : 11, 40, 500])
      let source = WatchedSource(bytes)
      _ = try outcome(source, ahead: true)
      if step >= 1000 { #expect(try eventBlocks(bytes).allSatisfy { source.reads(at: $0.offset) == 1 }) }
    }
  }

  @Test func damageInTheMiddle() throws {
    var bytes = try trace(threads: 3, blocks: 20)
    let blocks = try eventBlocks(bytes)
    for number in [10, 11, 40] { bytes[Int(blocks[number].offset) + 60] ^= 0x10 }
    let outcome = try same(bytes)
    #expect(outcome.damagedBlocks == 3 && !outcome.isClean)
    guard case .damaged(let offset, _, _) = outcome.damage else {
      Issue.record("no damage was found")
      return
    }
    #expect(offset == blocks[10].offset)
    #expect(outcome.problem == outcome.damage)
  }

  /// A read error ends the analysis at the same point either way: with the same error, after the same number of events.
  @Test func unreadable() throws {
    let bytes = try trace(blocks: 20)
    let refused = try eventBlocks(bytes)[12].offset
    let outcome = try same(bytes, refused: refused)
    #expect(outcome.error == .system(.reading, code: 5))
    #expect(outcome.progress == 12.0 * 600 / 12_000 + 1.0 / 12_000 || abs(outcome.progress - 0.6) < 0.001)
    #expect(outcome.isClean)
  }

  /// A few blocks after the end of the span are decoded but not used. Their damage must not be reported.
  @Test func earlyEnd() throws {
    var bytes = try trace(blocks: 40)
    let blocks = try eventBlocks(bytes)
    for number in [21, 22] { bytes[Int(blocks[number].offset) + 60] ^= 0x10 }
    let outcome = try same(bytes, to: 20_500)
    #expect(outcome.isClean && outcome.damagedBlocks == 0 && outcome.damage == nil)
    let source = WatchedSource(bytes)
    _ = try self.outcome(source, ahead: true, to: 20_500)
    #expect(blocks[30...].allSatisfy { source.reads(at: $0.offset) == 0 })
  }

  /// The decoding thread retains the source. It must end together with the analysis, even after an error.
  @Test func noThreadStays() throws {
    let bytes = try trace(blocks: 40)
    let refused = try eventBlocks(bytes)[12].offset
    for (end, refused) in [(nil, nil), (20_500, nil), (nil, refused)] as [(UInt64?, UInt64?)] {
      weak var left: WatchedSource?
      do {
        let source = WatchedSource(bytes, refused: refused)
        left = source
        _ = try outcome(source, ahead: true, to: end)
      }
      #expect(left == nil)
    }
  }

  private static let kinds: [UInt8] = Array(1...33) + [51, 53, 72, 200]

  /// Random blocks: overlapping threads, blocks in the wrong order, damage.
  @Test(.optimizedBuild) func random() throws {
    var random = SeededGenerator(named: "decode ahead")
    for _ in 0..<min(1000, TestRounds.value(60)) {
      let threads = 1 + random.next() % 5
      var bytes = try writeTrace(codec: random.pick([.none, .zstd])) { writer in
        try writer.write([ModeDefinition(id: 1, name: "mode")])
        for _ in 0..<(random.next() % 40) {
          var time = random.next() % 3000
          let events = (0..<(random.next() % 60)).map { _ in
            time += random.next() % 20
            return TestEvent(
              time: time, kind: random.pick(DecodeAheadTests.kinds), mode: 1,
              object: UInt32(random.next() % 4),
              arguments: (0..<(random.next() % 6)).map { _ in random.next() % 3000 })
          }
          try writer.write(EventBuffer(events), thread: UInt32(random.next() % threads))
        }
      }
      if random.oneIn(2), let hurt = try eventBlocks(bytes).randomElement(using: &random) {
        bytes[Int(hurt.offset) + 40 + Int(random.next() % UInt64(hurt.payloadBytes))] ^= 1
      }
      guard let reader = try? openTrace(bytes), (try? TraceAnalyzer(reader)) != nil else { continue }
      try same(bytes, to: random.oneIn(3) ? random.next() % max(1, reader.lastTime) : nil)
    }
  }

  @Test func smallTracesAreNotWorthAThread() {
    #expect(!DecodeAhead.isWorthwhile(events: DecodeAhead.worthwhileEvents - 1, blocks: 1))
    // With small blocks, the threads would spend their time handing them over.
    let events = DecodeAhead.worthwhileEvents
    #expect(
      !DecodeAhead.isWorthwhile(
        events: events, blocks: Int(events / DecodeAhead.worthwhileEventsPerBlock) + 1))
  }
}
