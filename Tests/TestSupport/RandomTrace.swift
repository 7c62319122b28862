import TraceCompression
import TraceFormat

/// Returns a complete trace with all kinds of blocks, repeated and in any order, and with hostile names.
package func randomTrace(codec: CodecID, _ random: inout SeededGenerator) throws -> [UInt8] {
  let sink = MemorySink()
  let header = FileHeader(
    timeUnit: random.pick(TimeUnit.allCases), codec: codec, captureLevel: random.pick(CaptureLevel.allCases),
    clock: random.pick(ClockSource.allCases), hasHighStamps: random.oneIn(2), minor: UInt16(random.next() % 3)
  )
  let writer = try TraceWriter(sink: sink, header: header, codec: allCodecs(codec)!)
  for _ in 0..<(random.next() % 12) { try writeRandomBlock(writer, &random) }
  try writer.close()
  return sink.bytes
}

private func writeRandomBlock(_ writer: TraceWriter, _ random: inout SeededGenerator) throws {
  let count = Int(random.next() % 20) + 1
  switch random.next() % 7 {
  case 0:
    try writer.write(
      (0..<count).map { _ in
        StringDefinition(id: UInt32(random.next() % 1_000_000), text: HostileText.make(&random))
      })
  case 1:
    try writer.write(
      (0..<count).map { _ in
        ThreadDefinition(
          index: UInt32(random.next() % 65_536), osThread: random.next() >> (random.next() % 64),
          isMain: random.oneIn(2), name: HostileText.make(&random))
      })
  case 2:
    try writer.write(
      (0..<count).map { _ in ModeDefinition(id: UInt8(random.next() & 255), name: HostileText.make(&random)) }
    )
  case 3:
    try writer.write(
      (0..<count).map { _ in
        SyncPoint(
          time: random.next(), monotonicNs: random.next(), boottimeNs: random.next() >> 20,
          realtimeNs: random.next())
      })
  case 4:
    try writer.write(
      (0..<count).map { _ in InfoEntry(key: HostileText.make(&random), value: HostileText.make(&random)) })
  default:
    let events = RandomEvents(&random).make(Int(random.next() % 300), &random)
    try writer.write(EventBuffer(events), thread: UInt32(truncatingIfNeeded: random.next()))
  }
}

/// Names that confuse terminals, parsers and people.
package enum HostileText {
  package static let samples: [String] = [
    "", " ", "plain", "two words", "\"", "\\", "\\\"", "\"; comment", "; # m1 #2 key=value", "end", "\n",
    "\r\n", "\t",
    "\0", "\u{1B}[31mred\u{1B}[0m", "\u{7F}\u{80}\u{9F}", "\u{202E}gnp.exe", "\u{2066}\u{2069}\u{200F}",
    "\u{2028}\u{2029}\u{85}", "\u{FEFF}bom", "\u{301}combining first", "e\u{301}", "\u{E9}", "\u{1F3FB}",
    "\u{1F469}\u{200D}\u{1F4BB}", "\u{D4E}", "\u{D4E}\"", "\u{E000}\u{10FFFF}", "\u{FFFD}", "日本語", "\\u{41}",
    String(repeating: "\"", count: 100), String(repeating: "x", count: 10_000),
    String(repeating: "\u{202E}", count: 10_000),
  ]

  package static func make(_ random: inout SeededGenerator) -> String {
    guard random.oneIn(2) else { return random.pick(samples) }
    var text = String.UnicodeScalarView()
    for _ in 0..<(random.next() % 20) {
      let range: UInt32 = random.pick([0x80, 0x500, 0x1_0000, 0x11_0000])
      text.append(Unicode.Scalar(UInt32(random.next() % UInt64(range))) ?? "?")
    }
    return String(text)
  }
}
