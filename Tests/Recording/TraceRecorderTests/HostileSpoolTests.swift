import CRLTraceShims
import Foundation
import TestSupport
import Testing
import TraceCompression
import TraceFormat

@testable import TraceRecorder

/// A spool with arbitrary contents: it is watched or refused, and never ends the process or keeps it busy.
@Suite(.serialized) struct HostileSpoolTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("t.rltrace.spool")
  }

  /// Makes the spool of a program that has recorded events on a few threads.
  private func makeSpool(overwrites: Bool = false) throws -> (spool: Spool, rings: [TestRing]) {
    unlink(path)
    let spool = try Spool(
      creating: path, slotsPerRing: 64, flags: Spool.flags(overwrites: overwrites), timeUnit: .ns10,
      recording: 1)
    spool.later = .now(usesCycles: false)
    for name in ["kCFRunLoopDefaultMode", "tick"] {
      _ = rlt_spool_append_string(spool.header, UInt16(RLT_NAME_STRING), name, name.utf8.count)
    }
    let rings = try (0..<3).map { _ in try TestRing(of: spool) }
    for ring in rings { ring.store(.loopWakeUp, times: 20) }
    return (spool, rings)
  }

  private func watch() throws -> WatchedRecording {
    try WatchedRecording(
      spool: path, trace: folder.file("t.rltrace"), keptNs: 1_000_000_000, keptBytes: 1 << 20, info: [],
      codecs: allCodecs, makeNaming: nil)
  }

  /// Reads what is new, and the kept part as a trace. An error is also acceptable.
  private func look(_ watched: WatchedRecording) throws {
    do throws(TraceFormatError) {
      _ = watched.read()
      let bytes = try watched.window()
      guard !bytes.isEmpty else { return }
      try TraceReader(source: MemorySource(bytes), codecs: allCodecs).verify()
    } catch {
      #expect(!"\(error)".contains("\n"))
    }
  }

  private func write(_ bytes: [UInt8], at offset: Int) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    defer { close(descriptor) }
    _ = pwrite(descriptor, bytes, bytes.count, off_t(offset))
  }

  /// Changes some words of the header, the rings, the names and the slots.
  private func damage(_ spool: Spool, _ random: inout SeededGenerator) {
    // The header may be damaged already.
    let names = spool.namesRange.lowerBound, slots = Int(rlt_spool_slots_offset(64, 0))
    let fixed = MemoryLayout<rlt_spool>.offset(of: \.later) ?? 0
    let rings = Int(RLT_SPOOL_HEADER_BYTES)
    let places = [
      fixed..<RLT_SPOOL_HEADER_BYTES, rings..<rings + 3 * MemoryLayout<rlt_ring>.stride,
      names..<names + 256, slots..<slots + 3 * 64 * 16,
    ]
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      // One change in twenty is to the fixed part, which is then refused if it is opened later.
      let place = random.oneIn(20) ? 0..<fixed : random.pick(places)
      let field = random.pick(
        [\rlt_ring.head, \.tail, \.claimed_head, \.mark_count] as [KeyPath<rlt_ring, UInt64>])
      let ring = rings + MemoryLayout<rlt_ring>.stride * Int.random(in: 0..<3, using: &random)
      // The positions in a ring matter most.
      let at =
        random.oneIn(3)
        ? ring + (MemoryLayout<rlt_ring>.offset(of: field) ?? 0) : Int.random(in: place, using: &random) & ~7
      let value: UInt64 = random.pick([
        0, 1, 5, 63, 64, 1 << 20, .max, 1 << 63, random.next(), random.next() % 256,
      ])
      write(withUnsafeBytes(of: value) { Array($0) }, at: at)
    }
  }

  private func change(
    _ spool: Spool, _ rings: [TestRing], isIntact: inout Bool, _ random: inout SeededGenerator
  ) throws {
    switch Int.random(in: 0..<12, using: &random) {
    case 0:
      truncate(path, off_t(Int.random(in: 0..<spool.byteCount, using: &random)))
      isIntact = false
    case 1: truncate(path, off_t(spool.byteCount + Int.random(in: 1..<100_000, using: &random)))
    case 2: unlink(path)
    case 3:
      unlink(path)
      try Data(count: random.pick([0, 1, 4096, 100_000])).write(to: URL(fileURLWithPath: path))
    case 4...6 where isIntact:
      // A program that stores into a damaged spool is not what is tested here.
      random.pick(rings).store(.timerBegin, times: Int.random(in: 1...100, using: &random))
    default:
      damage(spool, &random)
      isIntact = false
    }
  }

  @Test func survivesAnySpool() throws {
    var random = SeededGenerator(named: "hostile spools")
    var refused = 0
    let rounds = 150
    for _ in 0..<rounds {
      let (spool, rings) = try makeSpool(overwrites: random.oneIn(4))
      var isIntact = random.oneIn(2)
      if !isIntact { damage(spool, &random) }
      let watched: WatchedRecording
      do {
        watched = try watch()
      } catch is TraceFormatError {
        refused += 1
        continue
      }
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        try change(spool, rings, isIntact: &isIntact, &random)
        try look(watched)
      }
    }
    // Most damage must be encountered while watching, not refused when the spool is opened.
    #expect(refused < rounds / 2, "\(refused) refused, \(TestSeed.note)")
  }

  /// `--once` copies the whole recording.
  @Test func survivesCopyingAnySpool() throws {
    var random = SeededGenerator(named: "hostile copies")
    for _ in 0..<60 {
      let (spool, _) = try makeSpool(overwrites: random.oneIn(4))
      damage(spool, &random)
      let sink = MemorySink()
      do throws(TraceFormatError) {
        let isWhole = try WatchedRecording.copy(
          spool: path, trace: folder.file("t.rltrace"), to: sink, info: [], codecs: allCodecs, makeNaming: nil
        )
        if isWhole { try TraceReader(source: MemorySource(sink.bytes), codecs: allCodecs).verify() }
      } catch {
        #expect(!"\(error)".contains("\n"), "\(TestSeed.note)")
      }
    }
  }

  @Test(arguments: [.max, .max - 1, 1 << 63, 64] as [UInt64])
  func doesNotBelieveImpossibleMarks(head: UInt64) throws {
    let (spool, rings) = try makeSpool(overwrites: true)
    defer { withExtendedLifetime(spool) {} }
    rings[0].head = head
    rings[0].markCount = 2
    let watched = try watch()
    try look(watched)
    #expect(watched.unseenSlots <= 1 << 20)
  }

  @Test func refusesFilesThatAreNotSpools() throws {
    let (spool, _) = try makeSpool()
    let size = spool.byteCount
    for (what, count) in [("zeros", size), ("nothing", 0), ("a page of zeros", 4096)] {
      unlink(path)
      try Data().write(to: URL(fileURLWithPath: path))
      truncate(path, off_t(count))
      #expect(throws: TraceFormatError.self, "\(what)") { try watch() }
    }
  }

  @Test func refusesACutSpoolAndTakesALongerOne() throws {
    let (spool, _) = try makeSpool()
    truncate(path, off_t(spool.byteCount - 1))
    #expect(throws: TraceFormatError.self) { try watch() }
    truncate(path, off_t(spool.byteCount + 4096))
    #expect(throws: Never.self) { try look(try watch()) }
  }

  @Test(arguments: [0, 4096, 1 << 20]) func endsWhenTheSpoolIsCut(length: Int) throws {
    let (spool, _) = try makeSpool()
    defer { withExtendedLifetime(spool) {} }
    let watched = try watch()
    #expect(watched.read() == .underWay || watched.read() == .abandoned)
    truncate(path, off_t(length))
    #expect(watched.read() == .complete)
  }

  @Test(arguments: [false, true]) func endsWhenTheSpoolIsGone(isReplaced: Bool) throws {
    let (spool, _) = try makeSpool()
    defer { withExtendedLifetime(spool) {} }
    let watched = try watch()
    unlink(path)
    if isReplaced { try Data(count: 4096).write(to: URL(fileURLWithPath: path)) }
    #expect(watched.read() == .complete)
  }
}
