import LoopTopology
import TestSupport
import Testing

/// Dumps in the forms of bug reports.
@Suite struct ForeignDumpTests {
  private static let folder = "Tests/Fixtures/ForeignDumps"

  private func text(_ name: String) throws -> String { try ProjectFiles.text("\(Self.folder)/\(name)") }

  private func dump(_ text: String) throws -> Topology {
    var dumps = DumpText(Array(text.utf8))
    return try dumps.dump(1).topology
  }

  /// Expects one finding: a timer of the default mode while the loop tracks a touch.
  private func expectOverdue(_ topology: Topology) throws {
    let finding = try #require(topology.findings.first)
    #expect(topology.findings.count == 1 && finding.kind == .timerInOtherModes)
    #expect(finding.item?.callout?.name == "[PlayerController updateProgress]")
    #expect(finding.modes == ["kCFRunLoopDefaultMode"] && finding.overdueNs == 14_424_505_000)
  }

  @Test func anOverdueTimer() throws {
    let topology = try dump(text("d0-plain.txt"))
    #expect(topology.cut == nil)
    try expectOverdue(topology)
  }

  @Test(arguments: ["//", "// ", "# ", "> ", ">> ", " * ", "-- ", "| "])
  func signsOfComments(sign: String) throws {
    let lines = try text("d0-plain.txt").split(separator: "\n", omittingEmptySubsequences: false)
    let topology = try dump(lines.map { sign + $0 }.joined(separator: "\n"))
    #expect(topology == (try dump(text("d0-plain.txt"))))
  }

  @Test func aDumpInComments() throws { try expectOverdue(dump(text("d1-commented.txt"))) }

  @Test(arguments: [
    "2026-03-01 10:00:00.123456+0100 Player[411:9021] ", "Mar  1 10:00:00 phone Player[411]: ",
    "default 10:00:00.1+0100 App ", "error   10:00:00.123456+0100 App ",
    "default\t10:00:00.123456+0100\tMy Player\t",
  ])
  func wordsOfALog(prefix: String) throws {
    let lines = try text("d0-plain.txt").split(separator: "\n", omittingEmptySubsequences: false)
    let topology = try dump(lines.map { prefix + $0 }.joined(separator: "\n"))
    #expect(topology == (try dump(text("d0-plain.txt"))))
  }

  /// Comments at the ends of all lines, as in a bug report.
  @Test(arguments: [" // ", " <-- ", "\t/* ", " # "]) func commentsBehindValues(sign: String) throws {
    let lines = try text("d0-plain.txt").split(separator: "\n", omittingEmptySubsequences: false)
    let topology = try dump(lines.map { $0 + "\(sign)seen at 10:00, before = after" }.joined(separator: "\n"))
    let plain = try dump(text("d0-plain.txt"))
    try expectOverdue(topology)
    #expect(topology.cut == nil && topology.currentMode == plain.currentMode)
    #expect(
      topology.commonModes == plain.commonModes && topology.commonItems.count == plain.commonItems.count)
    #expect(topology.modes.map(\.items.count) == plain.modes.map(\.items.count))
    #expect(topology.modes.map(\.deadlineNs) == plain.modes.map(\.deadlineNs))
  }

  /// A comment in front of the comma.
  @Test func aCommentInsideALine() throws {
    let text = try text("d0-plain.txt")
      .replacing(
        "current mode = UITrackingRunLoopMode,", with: "current mode = UITrackingRunLoopMode // touch,"
      )
      .replacing("stopped = false,", with: "stopped = false /* not, yet\n,")
    #expect(try dump(text) == dump(self.text("d0-plain.txt")))
  }

  /// The log cut the dump: the complete items are read, and the end of the text is reported.
  @Test func aDumpThatIsCutOff() throws {
    let topology = try dump(text("d5-nslog-cut.txt"))
    #expect(topology.cut != nil && topology.modes.isEmpty && topology.findings.isEmpty)
    #expect(topology.commonModes == ["UITrackingRunLoopMode", "kCFRunLoopDefaultMode"])
    #expect(topology.commonItems.count == 2)
    #expect(topology.currentMode == "UITrackingRunLoopMode")
  }

  /// The log continues after a dump that it cut.
  @Test func aLogThatContinues() throws {
    let log = "2026-03-01 10:00:01.000000+0100 Player[411:9021] next\n"
    let topology = try dump(text("d5-nslog-cut.txt") + "\n" + log + log)
    let alone = try dump(text("d5-nslog-cut.txt"))
    #expect(topology.cut != nil && topology.commonItems == alone.commonItems)
    #expect(try dump(text("d0-plain.txt") + log).cut == nil)
  }

  /// Wherever a text is cut, the rest has no finding that the whole text does not have.
  @Test func cutsAnywhere() throws {
    let whole = try text("d0-plain.txt")
    let findings = try dump(whole).findings
    var random = SeededGenerator(named: "cut dumps")
    for _ in 0..<TestRounds.value(300) {
      let length = Int(random.next() % UInt64(whole.utf8.count))
      guard let topology = try? dump(String(decoding: Array(whole.utf8).prefix(length), as: UTF8.self)) else {
        continue
      }
      #expect(topology.findings.allSatisfy(findings.contains), "\(length), \(TestSeed.note)")
    }
  }

  /// A timer of the running mode is held up by something else.
  @Test func aTimerOfTheRunningMode() throws {
    let common = try text("d0-plain.txt").replacing(
      "current mode = UITrackingRunLoopMode", with: "current mode = kCFRunLoopDefaultMode")
    #expect(try dump(common).findings.map(\.kind) == [.timerOverdue])
  }

  /// A loop without a current mode is not run: nothing of it fires, in whichever mode it is.
  @Test func aLoopThatDoesNotRun() throws {
    let finding = try #require(dump(text("d31b-loop-never-run.txt")).findings.first)
    #expect(finding.kind == .timerWithoutRun && finding.overdueNs == 2_500_082_730)
    #expect(finding.modes == ["kCFRunLoopDefaultMode"])
    let stopped = try text("d0-plain.txt").replacing(
      "current mode = UITrackingRunLoopMode", with: "current mode = (none)")
    #expect(try dump(stopped).findings.map(\.kind) == [.timerWithoutRun, .sourceWithoutRun])
  }

  /// A loop that does not run has no finding about a timer that is not due or not valid.
  @Test(arguments: [("(-2.50008273 @", "(0.25 @"), ("valid = Yes", "valid = No")])
  func timersThatNeedNoRun(of: String, with: String) throws {
    let text = try text("d31b-loop-never-run.txt").replacing(of, with: with)
    #expect(try dump(text).findings.isEmpty)
  }

  @Test func aSourceOfALoopThatDoesNotRun() throws {
    let text = try text("d31b-loop-never-run.txt").replacing(
      "sources0 = (null)",
      with: """
        sources0 = <CFBasicHash 0x7fe65c002091 [0x7fe6661224a0]>{type = mutable set, count = 1,
        entries =>
        \t2 : <CFRunLoopSource 0x7fe65c0021f0 [0x7fe6661224a0]>{signalled = Yes, valid = Yes, order = 0, \
        context = <CFRunLoopSource context>{version = 0, info = (nil), callout = ? (0x7fe665f79b61)}}
        }
        """)
    #expect(try dump(text).findings.map(\.kind) == [.timerWithoutRun, .sourceWithoutRun])
  }
}
