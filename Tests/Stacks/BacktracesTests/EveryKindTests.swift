import Backtraces
import CallStacks
import Foundation
import TestSupport
import Testing

/// Requirements for each kind: other line endings, a text that is cut off, and several reports in one text.
@Suite struct EveryKindTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let kind: BacktraceKind
    let file: String
    let blamed: String
    /// The innermost and the outermost frame of the main thread's stack.
    let innermost: String
    let outermost: String
    /// The test cuts the text in the middle of the line after this one.
    let lastWholeLine: String
    /// Whether reports of this kind have a recognizable beginning, so that each one in a text is judged.
    var hasReports = true
    /// Whether a note reports the cut line, because the rest of it is not a valid line.
    var isNoted = false

    var testDescription: String { file }
  }

  static let samples = [
    Sample(
      kind: .ips, file: "Stacks/crash.ips", blamed: "Albums.load(from:)", innermost: "__pread",
      outermost: "main", lastWholeLine: "\"name\": \"prefetch\"", isNoted: true),
    Sample(
      kind: .appleReport, file: "Stacks/apple-crash.txt", blamed: "Reader + 4220160",
      innermost: "__ulock_wait",
      outermost: "start", lastWholeLine: "7   libdispatch.dylib", isNoted: true),
    Sample(
      kind: .appleReport, file: "ForeignStacks/s7b-legacy-unsymbolicated.crash", blamed: "Cadence + 601096",
      innermost: "libsystem_kernel.dylib + 149380", outermost: "libdyld.dylib + 328544",
      lastWholeLine: "0x0000000100412c08 0x100380000 + 601096", isNoted: true),
    Sample(
      kind: .plCrashReporter, file: "Stacks/plcrashreporter-crash.txt", blamed: "Orchard + 211544",
      innermost: "_platform_memmove", outermost: "_pthread_start", lastWholeLine: "0x100a40000 + 211544",
      isNoted: true),
    Sample(
      kind: .plCrashReporter, file: "Stacks/plcrashreporter-live.txt", blamed: "-[Basket total]",
      innermost: "__psynch_mutexwait", outermost: "start", lastWholeLine: "-[BasketController refresh] + 92",
      isNoted: true),
    Sample(
      kind: .spindump, file: "Stacks/app.hang", blamed: "WeekView.layout()", innermost: "TLine::Create()",
      outermost: "start", lastWholeLine: "WeekView.layout()"),
    Sample(
      kind: .spindump, file: "ForeignStacks/s5-spindump-variants.txt",
      blamed: "closure #1 in LaunchAtLogin.isEnabled.getter",
      innermost: "ipc_mqueue_receive_continue", outermost: "start",
      lastWholeLine: "      100  closure #1 in LaunchAtLogin.isEnabled.getter"),
    Sample(
      kind: .sample, file: "ForeignStacks/s3b-sample-multiple-not-first.txt",
      blamed: "LedgerStore.balance(of:)",
      innermost: "__ulock_wait", outermost: "start", lastWholeLine: "LedgerStore.balance(of:)"),
    Sample(
      kind: .metricKit, file: "ForeignStacks/s2-metrickit-hang-pdfkit.json", blamed: "Pantry + 398112",
      innermost: "libFontParser.dylib + 70222", outermost: "dyld + 88416",
      lastWholeLine: "\"binaryName\": \"PDFKit\"", isNoted: true),
    Sample(
      kind: .metricKit, file: "ForeignStacks/s1-metrickit-watchdog-crash.json", blamed: "Pantry + 412344",
      innermost: "libsystem_kernel.dylib + 2888", outermost: "dyld + 88416",
      lastWholeLine: "\"diagnosticMetaData\": {", isNoted: true),
    Sample(
      kind: .ksCrash, file: "ForeignStacks/kscrash-deadlock.json", blamed: "Shelf.lock()",
      innermost: "semaphore_wait_trap", outermost: "start", lastWholeLine: "\"name\": \"KSCrash Watchdog\"",
      isNoted: true),
    Sample(
      kind: .sentry, file: "ForeignStacks/sentry-app-hang.json", blamed: "Shelf.load(from:)",
      innermost: "__open",
      outermost: "start", lastWholeLine: "\"name\": \"io.larder.sync\"", isNoted: true),
    Sample(
      kind: .lldb, file: "Stacks/lldb.txt", blamed: "-[NoteStore save]", innermost: "__psynch_mutexwait",
      outermost: "main", lastWholeLine: "-[NoteStore save]", hasReports: false),
    Sample(
      kind: .list, file: "Stacks/location.txt", blamed: "TrackRecorder.mayRecord.getter",
      innermost: "mach_msg2_trap",
      outermost: "main", lastWholeLine: "TrackRecorder.mayRecord.getter", hasReports: false, isNoted: true),
    Sample(
      kind: .swift, file: "Stacks/swift-crash.txt", blamed: "Store.read(_:)",
      innermost: "closure #1 in closure #1 in _assertionFailure(_:_:file:line:flags:)", outermost: "main",
      lastWholeLine: "Store.read(_:)"),
    Sample(
      kind: .swiftJSON, file: "Stacks/swift-crash-json.txt", blamed: "Store.read(_:)",
      innermost: "closure #1 in closure #1 in _assertionFailure(_:_:file:line:flags:)", outermost: "main",
      lastWholeLine: "readFiles()", isNoted: true),
    Sample(
      kind: .gdb, file: "Stacks/gdb-deadlock.txt", blamed: "load_settings", innermost: "futex_wait",
      outermost: "main", lastWholeLine: "in load_settings", hasReports: false),
    Sample(
      kind: .euStack, file: "ForeignStacks/eu-stack-sources.txt", blamed: "larder::Journal::flush(bool)",
      innermost: "fsync", outermost: "_start", lastWholeLine: "/src/larder/journal.cc:88:9"),
    Sample(
      kind: .backtraceSymbols, file: "ForeignStacks/s13-callstacksymbols-linux.txt", blamed: "css + 5390",
      innermost: "$s10Foundation6ThreadC16callStackSymbolsSaySSGvgZ", outermost: "css + 4545",
      lastWholeLine: "./css(+0x150e)", hasReports: false),
  ]

  /// Returns the text of the sample, without the line before the JSON.
  private func report(_ sample: Sample) throws -> String {
    let text = try Reading.text(sample.file)
    return sample.kind == .swiftJSON ? text.from("{ \"timestamp\"") : text
  }

  @Test func eachKindHasASample() {
    #expect(Set(Self.samples.map(\.kind)) == Set(BacktraceKind.allCases))
  }

  @Test(arguments: samples) func innermostFrameComesFirst(sample: Sample) throws {
    for text in [try Reading.text(sample.file), try Reading.text(sample.file).withCRLF] {
      let reading = try Reading(text)
      #expect(reading.trace.kind == sample.kind && reading.blamed == [sample.blamed])
      #expect(reading.innermost == sample.innermost && reading.outermost == sample.outermost)
    }
  }

  /// The reader uses the complete part and notes the rest.
  @Test(arguments: samples) func cutInTheMiddleOfALine(sample: Sample) throws {
    let text = try report(sample)
    let mark = try #require(text.range(of: sample.lastWholeLine))
    // Swift writes its JSON on one line.
    let end =
      sample.kind == .swiftJSON
      ? mark.upperBound : text[mark.upperBound...].firstIndex(of: "\n") ?? text.endIndex
    for more in [7, 14] {
      let cut = String(text[..<(text.index(end, offsetBy: more, limitedBy: text.endIndex) ?? text.endIndex)])
      let reading = try Reading(cut)
      #expect(reading.trace.kind == sample.kind && reading.blamed == [sample.blamed], "\(cut.suffix(200))")
      let isNoted = reading.trace.notes.contains { $0.hasPrefix("the text is cut off: ") }
      #expect(isNoted || !sample.isNoted, "\(reading.trace.notes), \(cut.suffix(100))")
    }
  }

  @Test(arguments: samples) func twoReportsInOneText(sample: Sample) throws {
    let text = try report(sample)
    let one = try Reading(text)
    let two = try Reading(text + (sample.hasReports ? "\n" : "\nAnd later:\n") + text)
    #expect(two.trace.kind == sample.kind && two.trace.threads.count == 2 * one.trace.threads.count)
    guard sample.hasReports else { return }
    #expect(two.blamed == [sample.blamed, sample.blamed])
    #expect(two.trace.facts.count == 2 * one.trace.facts.count)
    let sections = two.trace.threads(.usual).map { $0.section ?? "" }
    // MetricKit counts payloads.
    let isCounted =
      sample.kind == .metricKit ? sections[1].hasPrefix("payload 2 ") : sections[1].hasSuffix("report 2")
    #expect(isCounted && sections[0] != sections[1], "\(sections)")
  }

  /// The reader uses the other report, and a note names the report without a stack.
  @Test func aReportWithoutAStack() throws {
    let text = try Reading.text("Stacks/apple-crash.txt")
    let reading = try Reading(text + "\n" + text.upTo("Exception Type:"))
    #expect(reading.blamed == ["Reader + 4220160"])
    #expect(
      reading.trace.notes == [
        "report 2 was not read: no stack follows in this Apple crash or hang report; is the text cut off?"
      ])
    let all = StackTexts.mistake(text.upTo("Exception Type:") + "\n" + text.upTo("Exception Type:"))
    #expect(
      all?.hasSuffix("no stack follows in this Apple crash or hang report; is the text cut off?") == true)
  }

  @Test func reportsOfDifferentPrograms() throws {
    let reading = try Reading(Reading.text("Stacks/crash.ips") + Reading.text("Stacks/deadlock.ips"))
    #expect(reading.blamed == ["Albums.load(from:)", "Accounts.rename(_:)"])
    #expect(reading.trace.program == nil && reading.trace.threads(.thread("prefetch")).count == 1)
  }
}
