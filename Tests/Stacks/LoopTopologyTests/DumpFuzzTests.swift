import LoopTopology
import TestSupport
import Testing

/// Damaged dumps cause either a dump or one error, but never a trap.
@Suite struct DumpFuzzTests {
  private static let words = [
    "{", "}", "(", ")", "\"", ">", "<CFRunLoop 0x1 [0x2]>{", "count = 99999999999999999999", "0x", "(nil)",
    "(null)", "1e999", "nan", "-9223372036854775808", ", context = ", "entries =>", "values = (", "\\",
    "\\U12",
    "contents = \"", "= ", " (0x", "\n", "currently ", "18446744073709551615", "order = ",
    "soft deadline in: 1e30 sec (@ 5)",
  ]

  private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    let at = Int(random.next() % UInt64(bytes.count))
    let length = min(Int(random.next() % 300), bytes.count - at)
    switch random.next() % 7 {
    case 0: bytes[at] ^= 1 << UInt8(random.next() % 8)
    case 1: bytes.remove(at: at)
    case 2, 3: bytes.insert(contentsOf: Array(random.pick(Self.words).utf8), at: at)
    case 4: bytes.removeSubrange(at..<at + length)
    case 5 where random.oneIn(4): bytes.removeSubrange(at...)
    default:
      let part = Array(bytes[at..<at + length])
      bytes.insert(contentsOf: part, at: Int(random.next() % UInt64(bytes.count)))
    }
    if bytes.isEmpty { bytes = [0] }
  }

  @Test(.optimizedBuild) func damagedDumps() throws {
    var random = SeededGenerator(named: "damaged dumps")
    var loop = LinuxLoop()
    loop.items = [
      (loop.source("0x11"), ["(common)"]), (loop.observer("0x21"), ["(common)", "C"]),
      (loop.timer("0x31"), ["C"]),
    ]
    let seeds = [try Dumps.notesApp(), Array(loop.text.utf8)]
    let whole = try seeds.map { try Dumps.topology($0) }
    var read = 0
    for _ in 0..<TestRounds.value(2000) {
      var bytes = random.pick(seeds)
      for _ in 0..<(1 + random.next() % 6) { mutate(&bytes, &random) }
      var text = DumpText(bytes)
      let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
      for number in 1...3 {
        do throws(DumpError) {
          let (topology, line) = try text.dump(number)
          #expect((1...lines).contains(line), "\(TestSeed.note)")
          read += 1
          for other in whole {
            _ = TopologyDifference(base: topology, other: other)
            _ = TopologyDifference(base: other, other: topology)
          }
        } catch {
          #expect((1...lines).contains(error.line), "\(error), \(TestSeed.note)")
          #expect(!error.what.contains("\n"), "\(error), \(TestSeed.note)")
        }
      }
    }
    // Some dumps are still readable, because most damage is outside the fields.
    #expect(read > 0, "\(TestSeed.note)")
  }
}
