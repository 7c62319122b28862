import TestSupport
import Testing
import TraceCompression
@testable import TraceFormat

/// Names for code, stored in a trace.
@Suite struct FrameNamesTests {
  private static let text = """
    rltrace-text 1
    header minor=2 unit=10ns codec=none capture=callouts+stacks clock=monotonic high=no
    threads
      0 os=4242 main=yes "main"
      1 os=0 main=no "(recorder)"
    strings
      1 "/srv/app"
      2 "6A-c0 ff"
      3 "6ac0ffee"
      4 "/usr/lib/libc.so.6"
    events thread=0
      10 imageMap path=1 base=0x1000 size=0x2000 build_id=3
      11 imageMap path=4 base=0xfffffffffffff000 size=0x2000 build_id=2
      12 imageMap path=9 base=0x9000
      20 stack #2 reason=1 frame=0x1010 frame=0x1020 frame=0x1020
      30 stack #2 reason=1 frame=0x1020 frame=0x1010
      40 stack #2 reason=2
      50 stack #2
    end
    """

  private let a = StackAddress(exact: 0x1010), b = StackAddress(returnAddress: 0x1020)
  private let frames = [
    FrameName(function: "openAll()", file: "/src/a.swift", line: 3, column: 9), FrameName(function: "main"),
  ]

  private func named(
    _ bytes: [UInt8], _ names: [(address: StackAddress, frames: [FrameName])]
  ) throws -> TraceReader {
    let reader = try openTrace(bytes)
    let sink = MemorySink()
    try FrameNaming.write(names, copying: reader, sink: sink, codec: allCodecs(reader.header.codec)!)
    return try openTrace(sink.bytes)
  }

  @Test func addressesInATrace() throws {
    let code = try RecordedCode(openTrace(assembleTrace(Self.text)))
    #expect(code.images.map(\.path) == ["/srv/app", "/usr/lib/libc.so.6"])
    #expect(code.images.map(\.range) == [0x1000..<0x3000, 0xFFFF_FFFF_FFFF_F000..<UInt64.max])
    #expect(code.images.map(\.buildID) == [[0x6A, 0xC0, 0xFF, 0xEE], []])
    // The program counter, and the call instructions of the callers.
    #expect(code.addresses.map(\.lookup) == [0x1010, 0x101F, 0x1020, 0x100F])
    #expect(code.ignored == 0)
  }

  @Test(arguments: CodecID.allCases)
  func roundTrip(codec: CodecID) throws {
    let bytes = try assembleTrace(Self.text, codec: codec)
    #expect(try FrameNames(openTrace(bytes)).isEmpty)
    let reader = try named(bytes, [(a, frames), (b, [FrameName(function: "main")])])
    #expect(reader.isClean && reader.header.codec == codec)
    let names = try FrameNames(reader)
    #expect(names.count == 2 && names[a] == frames && names[b] == [FrameName(function: "main")])
    #expect(names[StackAddress(exact: 0x1020)].isEmpty)
    // The names are on a thread of the recorder. The recorder's own thread keeps its role.
    #expect(reader.recorderThreads == [1, 2] && reader.lastTime == 50)
    #expect(reader.strings.count == 4 + 3, "each text once")
    // Written again: the later names count, and the others stay.
    let sink = MemorySink()
    try FrameNaming.write(
      [(a, [FrameName(function: "better")])], copying: reader, sink: sink, codec: allCodecs(codec)!)
    let again = try FrameNames(openTrace(sink.bytes))
    #expect(again[a] == [FrameName(function: "better")] && again[b] == [FrameName(function: "main")])
  }

  @Test func namesInAnyTrace() throws {
    let text = Self.text.replacing(
      "events thread=0",
      with: """
          5 "f"
          6 "g"
        events thread=1
          1 frameName address=0x10 depth=0 function=5
          1 frameName address=0x10 depth=1 function=6 file=1 line=9
          1 frameName address=0x10 depth=3 function=6
          1 frameName address=0x10 depth=1 function=6
          1 frameName address=0x11 depth=1 function=6
          1 frameName address=0x12 depth=0 function=77 file=78 line=0xffffffffffff
          1 frameName address=0x13
        events thread=0
        """)
    let names = try FrameNames(openTrace(assembleTrace(text)))
    #expect(
      names[StackAddress(exact: 0x10)] == [
        FrameName(function: "f"), FrameName(function: "g", file: "/srv/app", line: 9),
      ])
    #expect(names[StackAddress(exact: 0x12)] == [FrameName(function: "", line: .max)])
    #expect(names.count == 2 && names.omitted == 0)
    let wanted = try FrameNames(openTrace(assembleTrace(text)), of: [0x12, 0x99])
    #expect(wanted.count == 1 && wanted[StackAddress(exact: 0x12)].count == 1)
  }

  /// The limits of functions at one address and in total.
  @Test func moreNamesThanAreKept() throws {
    let addresses = ReadingLimits.functions / ReadingLimits.functionsPerAddress + 2
    var events: [String] = []
    for address in 1...addresses {
      for depth in 0...ReadingLimits.functionsPerAddress {
        if events.count % 60_000 == 0 { events.append("events thread=1") }
        events.append("  1 frameName address=\(address) depth=\(depth) function=1")
      }
    }
    let text = Self.text.replacing(
      "events thread=0", with: (events + ["events thread=0"]).joined(separator: "\n"))
    let names = try FrameNames(openTrace(assembleTrace(text)))
    let kept = (1...addresses).map { names[StackAddress(exact: UInt64($0))].count }
    #expect(
      kept.dropLast(2).allSatisfy { $0 == ReadingLimits.functionsPerAddress } && kept.suffix(2) == [0, 0])
    #expect(
      names.omitted == UInt64(addresses * (ReadingLimits.functionsPerAddress + 1) - ReadingLimits.functions))
  }

  /// A truncated trace keeps its names, and is still reported as truncated.
  @Test func aTraceThatIsNotWhole() throws {
    let bytes = try assembleTrace(Self.text)
    let reader = try openTrace(Array(bytes.dropLast(8)))
    try #require(!reader.isClean)
    let sink = MemorySink()
    try FrameNaming.write([(a, frames)], copying: reader, sink: sink, codec: NoCodec())
    let copy = try openTrace(sink.bytes)
    #expect(!copy.isClean)
    #expect(try FrameNames(copy)[a] == frames)
  }

  /// Redaction removes names, paths and addresses. Stacks keep their functions.
  @Test func redacted() throws {
    let reader = try named(assembleTrace(Self.text), [(a, frames), (b, [FrameName(function: "main")])])
    let copy = try redactTrace(reader)
    let dump = try dumpTrace(copy)
    for secret in ["openAll", "main\"", "/src", "/srv", "0x101", "6ac0"] {
      #expect(!dump.contains(secret), "\(secret)")
    }
    let code = try RecordedCode(copy), names = try FrameNames(copy)
    #expect(code.images.isEmpty && code.addresses.count == 4)
    #expect(names[code.addresses[0]].map(\.function) == ["function 1", "function 2"])
    #expect(names[code.addresses[0]].map(\.file) == ["file 1", ""])
    #expect(names[code.addresses[0]].map(\.line) == [0, 0])
    #expect(names[code.addresses[1]].map(\.function) == ["function 2"])
    #expect(names[code.addresses[2]].isEmpty && names[code.addresses[3]].isEmpty)
    // The names are already neutral, so a second redaction changes nothing.
    #expect(try dumpTrace(redactTrace(copy)) == dump)
  }

  @Test func anyTrace() throws {
    let whole = try named(assembleTrace(Self.text), [(a, frames), (b, frames)])
    let sink = MemorySink()
    try FrameNaming.write([], copying: whole, sink: sink, codec: NoCodec())
    var random = SeededGenerator(named: "anyTrace")
    for _ in 0..<TestRounds.value(2000) {
      var bytes = sink.bytes
      for _ in 0...random.next() % 3 {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      guard let reader = try? openTrace(bytes) else { continue }
      let code = try? RecordedCode(reader), names = try? FrameNames(reader)
      for address in code?.addresses ?? [] { _ = names?[address] }
      try? FrameNaming.write([(a, frames)], copying: reader, sink: MemorySink(), codec: NoCodec())
    }
  }
}
