import Foundation
import TestSupport
import Testing
import TraceCompression
@testable import TraceFormat

/// A redacted copy must contain no names of the original, but everything else.
@Suite struct RedactionTests {
  private static let text = """
    rltrace-text 1
    header minor=1 unit=10ns codec=none capture=callouts clock=monotonic high=no
    info
      "recorder" "rltrace 0.1.0 (trace format 1.1)"
      "machine" "x86_64, 2 cores"
      "system" "Linux 6.1-acme-internal"
      "process" "4242"
      "due_points" "exact for acme"
      "begins_at" "5"
      "acme build" "17"
      "deferrable" "acme refresh"
      "deferrable" "acme never made"
      "library" "RunLoopTrace 0.1.0 (trace format 1.2)"
    threads
      0 os=4242 main=yes "acme main"
      3 os=4243 main=no "acme worker"
      4 os=0 main=no "(recorder)"
    modes
      1 "kCFRunLoopDefaultMode"
      2 "AcmeTrackingMode"
      3 "AcmeMode"
    strings
      1 "acme refresh"
      2 "/srv/acme/Refresh.swift:12"
      3 "acme refresh"
      4 "acme mark"
      5 "acme library.so"
      6 "acme unused"
      7 ""
    events thread=0
      10 timer.create m1 #2 name=1 interval_ns=100 tolerance_ns=7 due=90 site=2
      20 source.create m1 #3 name=3 version=0 order=-5 site=0
      30 timer.begin m2 #2
      40 timer.end m2 #2
      50 mark name=4
      60 imageMap path=5 base=0xacacacac size=12345 build_id=77
      70 stack #2 reason=1 frame=0xacacacac frame=0xacacacad
      80 lostEvents count=9
      90 timer.due m1 #2 due=-4
      95 loop.create m1 #1 name=7
    end
    """

  @Test func intervalsAreRenamed() throws {
    let text = """
      rltrace-text 1
      header minor=2 unit=10ns codec=none capture=callouts clock=monotonic high=no
      strings
        1 "acme import"
        2 "acme other"
      events thread=0
        10 interval.begin #1 name=1
        20 interval.begin #2 name=2
        30 interval.end #1
        40 interval.begin #3 name=1
      end
      """
    let dump = try dumpTrace(redactTrace(openTrace(assembleTrace(text))))
    #expect(!dump.contains("acme"))
    #expect(dump.contains("\"interval 1\"") && dump.contains("\"interval 2\""))
    #expect(dump.contains("30 interval.end #1"))
  }

  /// Names and values of states are private alike. The end of a state stays an end.
  @Test func statesAreRenamed() throws {
    let text = """
      rltrace-text 1
      header minor=2 unit=10ns codec=none capture=callouts clock=monotonic high=no
      strings
        1 "acme screen"
        2 "acme customer 17"
      events thread=0
        10 state name=1 value=2
        20 state name=1 value=0
      end
      """
    let dump = try dumpTrace(redactTrace(openTrace(assembleTrace(text))))
    #expect(!dump.contains("acme"))
    #expect(dump.contains("\"state 1\"") && dump.contains("\"value 1\""))
    #expect(dump.contains("20 state name=1 value=0"))
  }

  /// Names and sites of work and queues are replaced. The facts about the recording, and the holders of queues, are kept.
  @Test func workAndQueuesAreRenamed() throws {
    let main = """
      10 work.create #10 name=5 kind=1 queue=2 parent=0 site=9
      20 work.create #11 name=6 kind=0 queue=2 parent=10 site=9
      30 queueWait.begin #2 holder=101
      """
    let text = QueueTrace(
      threads: [main, "25 work.begin #10 queue=2"],
      info: ["\"queues\" \"recorded\"", "\"tasks\" \"jobs\"", "\"tasks\" \"of acme\""]
    ).text
    let copy = try redactTrace(openTrace(assembleTrace(text)))
    let names = copy.strings.values.sorted()
    #expect(
      names == [
        "queue 1", "queue 2", "queue 3", "queue 4", "site 1", "string 1", "string 2", "work 1", "work 2",
      ])
    #expect(
      copy.info.map(\.key) == ["queues", "tasks", "tasks", "redacted"]
        && copy.info.map(\.value).prefix(3) == ["recorded", "jobs", "(redacted)"])
    let dump = try dumpTrace(copy)
    #expect(dump.contains("  0 os=1 main=yes") && dump.contains("  1 os=2 main=no"))
    #expect(dump.contains("30 queueWait.begin #2 holder=2"))
  }

  /// A stack keeps its thread, without the OS thread ID.
  @Test func threadsOfStacksAreThoseOfDefinitions() throws {
    let text = """
      rltrace-text 1
      header minor=2 unit=10ns codec=none capture=callouts clock=monotonic high=no
      threads
        0 os=4242 main=yes "acme main"
        1 os=4250 main=no "(recorder)"
      events thread=1
        10 thread.stack thread=4242 reason=1 frame=0xacacacac
        20 thread.unsampled thread=4299 reason=2
        30 thread.state thread=4242 state=83
      end
      """
    let (bytes, summary) = try redacted(assembleTrace(text))
    let dump = try dumpTrace(openTrace(bytes))
    #expect(!dump.contains("42"))
    #expect(dump.contains("0 os=1 main=yes") && dump.contains("thread.stack thread=1 reason=1"))
    #expect(
      dump.contains("thread.unsampled thread=3 reason=2") && dump.contains("thread.state thread=1 state=83"))
    #expect(summary.threadIDs == 3)
  }

  private static let redactedText = """
    rltrace-text 1
    header minor=1 unit=10ns codec=none capture=callouts clock=monotonic high=no
    threads
      0 os=1 main=yes "thread 0"
      3 os=2 main=no "thread 3"
      4 os=0 main=no "(recorder)"
    modes
      1 "kCFRunLoopDefaultMode"
      2 "mode 2 (Tracking)"
      3 "mode 3"
    events thread=0
      10 timer.create m1 #2 name=1 interval_ns=100 tolerance_ns=7 due=90 site=2
      20 source.create m1 #3 name=3 version=0 order=-5 site=0
      30 timer.begin m2 #2
      40 timer.end m2 #2
      50 mark name=4
      60 imageMap path=5 base=0x0 size=0 build_id=77
      70 stack #2 reason=1 frame=0x10 frame=0x11
      80 lostEvents count=9
      90 timer.due m1 #2 due=-4
      95 loop.create m1 #1 name=7
    strings
      1 "timer 1"
      2 "site 1"
      3 "timer 1"
      4 "mark 1"
      5 "path 1"
      6 "string 1"
      7 ""
    info
      "recorder" "rltrace 0.1.0 (trace format 1.1)"
      "machine" "x86_64, 2 cores"
      "system" "(redacted)"
      "process" "(redacted)"
      "due_points" "(redacted)"
      "begins_at" "5"
      "fact 7" "(redacted)"
      "deferrable" "timer 1"
      "deferrable" "(redacted)"
      "library" "RunLoopTrace 0.1.0 (trace format 1.2)"
      "redacted" "names, paths and ids"
    end
    """

  private func redacted(
    _ bytes: [UInt8], codec: CodecID = .none
  ) throws -> (bytes: [UInt8], summary: TraceRedactor.Summary) {
    let sink = MemorySink()
    var redactor = try TraceRedactor(try openTrace(bytes), sink: sink, codec: allCodecs(codec)!)
    let summary = try redactor.redact()
    return (sink.bytes, summary)
  }

  @Test(arguments: CodecID.allCases)
  func eachNameByItsRole(codec: CodecID) throws {
    let (bytes, summary) = try redacted(assembleTrace(Self.text, codec: codec), codec: codec)
    let reader = try openTrace(bytes)
    #expect(reader.isClean && reader.header.codec == codec)
    let wanted = Self.redactedText.replacing("codec=none", with: "codec=\(codec.name)")
    #expect(essence(try dumpTrace(reader)) == essence(wanted))
    #expect(summary.names == 9 && summary.threadIDs == 2 && summary.facts == 6)
    #expect(
      summary.droppedEvents == 0 && summary.droppedArguments == 0 && summary.droppedBlocks == 0)
  }

  @Test func aSecondRedactionChangesNothing() throws {
    let once = try redacted(assembleTrace(Self.text)).bytes
    #expect(try redacted(once).bytes == once)
  }

  /// Content of a later format version may contain names anywhere.
  @Test func unknownContentIsLeftOut() throws {
    let secret = "736563726574"  // "secret"
    let bytes = try assembleTrace(
      """
      rltrace-text 1
      header minor=7 unit=10ns codec=none capture=callouts clock=monotonic high=yes
      unknown type=200 count=1 thread=0 first=0 last=0 plain=6
        \(secret)
      events thread=0
        1 BeforeTimers.low m1 #1 arg=\(0x7465_7263_6573)
        2 kind-255 m1 #7 arg=\(0x7465_7263_6573)
        3 timer.due #2 due=5 arg=1 arg=\(0x7465_7263_6573)
        4 mark name=\(0x7465_7263_6573)
        5 timer.due #2
      end
      """)
    let (copy, summary) = try redacted(bytes)
    #expect(
      summary
        == TraceRedactor.Summary(
          names: 0, threadIDs: 0, facts: 0, droppedEvents: 1, droppedArguments: 3, droppedBlocks: 1))
    let reader = try openTrace(copy)
    #expect(reader.isClean && reader.unknownBlocks == 0 && reader.header.minor == FileHeader.minor)
    #expect(
      try reader.allEvents() == [
        [
          TestEvent(time: 1, kind: .beforeTimersLow, mode: 1, object: 1),
          TestEvent(time: 3, kind: .timerDue, object: 2, arguments: [5]),
          TestEvent(time: 4, kind: .mark, arguments: [0]),
          TestEvent(time: 5, kind: .timerDue, object: 2),
        ]
      ])
  }

  /// A copy of a damaged trace contains the readable part, and is marked as incomplete.
  @Test func aDamagedTraceGivesADamagedCopy() throws {
    var random = SeededGenerator(named: "damaged redaction")
    var damaged = 0
    for _ in 0..<50 {
      var bytes = try smallTrace(codec: .zstd, &random)
      if random.oneIn(2) {
        bytes.removeLast(Int(random.next() % UInt64(bytes.count - FileHeader.byteCount)) + 1)
      } else {
        let at = FileHeader.byteCount + Int(random.next() % UInt64(bytes.count - FileHeader.byteCount))
        bytes[at] ^= 1 << UInt8(random.next() % 8)
      }
      guard let reader = try? openTrace(bytes) else { continue }
      let copy = try redactTrace(reader)
      // A block of an unknown type is left out without being read.
      #expect(copy.isClean == reader.isClean && copy.isClean == (reader.problem == nil), "\(TestSeed.note)")
      if !copy.isClean { damaged += 1 }
    }
    #expect(damaged > 30, "\(TestSeed.note)")
  }

  /// For random traces, the bytes of the copy contain no name of the original.
  @Test func noNamesRemain() throws {
    var random = SeededGenerator(named: "redaction")
    // Texts that the copy contains in place of names.
    let own = Self.redactedText + "kCFRunLoopCommonModes"
    var searched = 0
    for round in 0..<TestRounds.value(200) {
      let bytes = try randomTrace(codec: .zstd, &random)
      let reader = try openTrace(bytes)
      let copy = try redacted(bytes).bytes
      let names =
        Array(reader.strings.values) + reader.threads.values.map(\.name) + Array(reader.modes.values)
        + reader.info.flatMap { [$0.key, $0.value] }
      for name in Set(names) where name.utf8.count > 3 && !own.contains(name) {
        searched += 1
        let isThere = holds(copy, Array(name.utf8))
        #expect(!isThere, "round \(round): \(name.debugDescription), \(TestSeed.note)")
      }
      #expect(try openTrace(copy).isClean)
    }
    #expect(searched > 100)
  }

  private func holds(_ bytes: [UInt8], _ wanted: [UInt8]) -> Bool {
    Data(bytes).range(of: Data(wanted)) != nil
  }

  /// Times, kinds, modes, objects and numbers stay the same.
  @Test func theEventsStayTheSame() throws {
    var random = SeededGenerator(named: "redacted events")
    for _ in 0..<TestRounds.value(50) {
      let bytes = try smallTrace(codec: .none, &random)
      let before = try openTrace(bytes).allEvents().flatMap { $0 }
      let after = try openTrace(try redacted(bytes).bytes).allEvents().flatMap { $0 }
      var addresses = RedactedAddresses()
      var threads: [UInt64: UInt64] = [0: 0]
      func number(_ osThread: UInt64) -> UInt64 {
        threads[osThread] = threads[osThread] ?? UInt64(threads.count)
        return threads[osThread]!
      }
      for thread in try openTrace(bytes).threads.values.sorted(by: { $0.index < $1.index }) {
        _ = number(thread.osThread)
      }
      let wanted = before.filter { EventTable.definition(of: EventKind($0.kind)) != nil }.map { event in
        var event = event
        event.arguments = event.arguments.enumerated().compactMap { position, value in
          switch EventTable.definition(of: EventKind(event.kind)).flatMap({ RedactedArgument($0, position) })
          {
          case .kept: value
          case .zero: 0
          case .address:
            addresses.number(value, isReturn: StackAddress.isReturn(position, of: EventKind(event.kind)))
          case .osThread: value == .max ? value : number(value)
          case .string: value <= UInt64(TraceLimits.strings) ? value : 0
          case nil: nil
          }
        }
        return event
      }
      #expect(after == wanted, "\(TestSeed.note)")
    }
  }
}
