import Backtraces
import CallStacks
import Foundation
import Testing

/// Call trees of `sample`, spindump and MetricKit in further forms.
@Suite struct CallTreeTests {
  // MARK: sample

  /// A pasted part of the output.
  @Test func aPartOfSample() throws {
    let reading = try Reading(Reading.text("Stacks/sample.txt").from("    2757 Thread_1166804"))
    #expect(reading.trace.kind == .sample && reading.outermost == "start")
    #expect(reading.blamed == ["static Playlist.read(from: (Swift.Array<A>))"])
  }

  /// A text that was copied from a page.
  @Test func noBreakSpaces() throws {
    let text = try Reading.text("Stacks/sample.txt")
    let (plain, copied) = (
      try Reading(text), try Reading(text.replacingOccurrences(of: "  ", with: " \u{A0}"))
    )
    #expect(copied.trace.kind == .sample && copied.blamed == plain.blamed)
  }

  @Test func samplesOfTwoPrograms() throws {
    let reading = try Reading(
      Reading.text("Stacks/sample.txt") + Reading.text("ForeignStacks/s3b-sample-multiple-not-first.txt"))
    #expect(reading.trace.threads.count == 5)
    #expect(
      reading.blamed == ["static Playlist.read(from: (Swift.Array<A>))", "LedgerStore.balance(of:)"])
  }

  @Test func sampleWithoutNames() throws {
    let text = """
      Call graph:
          90 Thread_7   DispatchQueue_1: com.apple.main-thread  (serial)
            90 start  (in dyld) + 6076  [0x18f5d6b98]
              90 ???  (in Ledger (Beta))  load address 0x104ee8000 + 0x21c8  [0x104eea1c8]
                90 -[NSApplication run]  (in AppKit) + 480  [0x193753d24]
                  90 ???  (in Ledger (Beta))  load address 0x104ee8000 + 0x5fec  [0x104eedfec]
                    90 read  (in libsystem_kernel.dylib) + 8  [0x18f8c0c34]
      """
    let reading = try Reading(text)
    #expect(reading.innermost == "read" && reading.image == "Ledger (Beta)")
    #expect(reading.groups[0]?.frame?.imageOffset == 0x5fec && reading.groups[0]?.samples == 90)
  }

  // MARK: spindump

  @Test func theHeaviestStackAlone() throws {
    let reading = try Reading(
      Reading.text("ForeignStacks/s5-spindump-variants.txt").upTo("[0x18f8c0c34]\n\n"))
    #expect(reading.trace.kind == .spindump && reading.trace.threads.count == 1)
    #expect(reading.blamed == ["closure #1 in LaunchAtLogin.isEnabled.getter"])
    #expect(reading.innermost == "mach_msg2_trap" && reading.outermost == "start")
    #expect(reading.facts(.duration) == ["10.00s"])
  }

  /// Locks belong to one dump, even if another dump has the same threads.
  @Test func twoDumpsOfOneProcess() throws {
    let text = try Reading.text("ForeignStacks/s5-spindump-variants.txt")
    let trace = try BacktraceReader.read(Array((text + "\n" + text).utf8))
    #expect(trace.program == "Shelf" && trace.threads(.thread("0xa0f2")).count == 2)
    #expect(Set(trace.threads.map(\.section)) == ["Shelf [520], report 1", "Shelf [520], report 2"])
    #expect(trace.threads(.usual).map(\.id) == [0xa001, 0xa001])
  }

  /// An iOS device names its images by UUID. The text was cut before the list of images.
  @Test func aHangWithoutItsImages() throws {
    let reading = try Reading(Reading.text("ForeignStacks/s4-ios-hang-228.ips").upTo("Binary Images:"))
    #expect(reading.trace.kind == .spindump && reading.facts(.duration) == ["9.90s"])
    #expect(reading.blamed == [nil])
    #expect(reading.innermost == "<84FA5857-0000-3000-8000-00000000000C> + 4970440")
  }

  // MARK: MetricKit

  private func diagnostic(_ file: String, _ list: String) throws -> [String: Any] {
    let payload = try JSONSerialization.jsonObject(with: Data(try Reading.text("ForeignStacks/\(file)").utf8))
    return try #require(((payload as? [String: Any])?[list] as? [[String: Any]])?.first)
  }

  private func text(_ value: Any) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: value), as: UTF8.self)
  }

  /// Delegates log a whole diagnostic, or only its tree.
  @Test(arguments: [
    ("s1-metrickit-watchdog-crash.json", "crashDiagnostics", "Pantry + 412344", true),
    ("s2-metrickit-hang-pdfkit.json", "hangDiagnostics", "Pantry + 398112", false),
  ])
  func aDiagnosticAndItsTree(file: String, list: String, blamed: String, isInnermostFirst: Bool) throws {
    let diagnostic = try diagnostic(file, list)
    let tree = try #require(diagnostic["callStackTree"])
    for value in [diagnostic, ["callStackTree": tree], tree] {
      let reading = try Reading(text(value))
      #expect(reading.blamed == [blamed] && reading.outermost == "dyld + 88416")
      #expect(
        reading.trace.notes.first?.contains(isInnermostFirst ? "the innermost" : "the outermost") == true)
    }
  }

  @Test func aCPUException() throws {
    var diagnostic = try diagnostic("s2-metrickit-hang-pdfkit.json", "hangDiagnostics")
    diagnostic["diagnosticMetaData"] = ["totalCPUTime": "20 sec", "totalSampledTime": "22 sec"]
    let reading = try Reading(text(["cpuExceptionDiagnostics": [diagnostic]]))
    #expect(reading.blamed == ["Pantry + 398112"] && reading.facts(.event) == ["CPU time: 20 sec"])
    #expect(reading.trace.threads[0].section == "cpuExceptionDiagnostics 1")
  }

  /// iOS 14 did not count samples; other reporters leave out the names.
  @Test func whatMayBeMissing() throws {
    let whole = try Reading.text("ForeignStacks/s2-metrickit-hang-pdfkit.json")
    let uncounted = try Reading(whole.replacingOccurrences(of: "\"sampleCount\"", with: "\"unknown\""))
    #expect(uncounted.blamed == ["Pantry + 398112"] && uncounted.innermost == "libFontParser.dylib + 70222")
    let unnamed = try Reading(whole.replacingOccurrences(of: "\"binaryName\"", with: "\"unknown\""))
    #expect(unnamed.blamed == [nil])
    #expect(unnamed.innermost == "<A1B2C3D4-0000-3000-8000-0000000000B1> + 70222")
    #expect(unnamed.trace.notes.contains { $0.contains("assumed, as in other hang diagnostics") })
  }
}
