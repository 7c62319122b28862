import Backtraces
import CallStacks
import Testing

/// Reports of KSCrash: the cause of the crash, and incomplete reports.
@Suite struct KSCrashTests {
  private static let frames = """
    {"object_name": "CoreFoundation", "symbol_name": "__exceptionPreprocess", "instruction_addr": 8196,
     "symbol_addr": 8192, "object_addr": 8000},
    {"object_name": "Larder", "symbol_name": "<redacted>", "instruction_addr": 4196, "symbol_addr": 4096,
     "object_addr": 4000},
    {"object_name": "Larder", "symbol_name": "main", "instruction_addr": 4896, "symbol_addr": 4800, "object_addr": 4000}
    """
  private static let thread =
    "{\"index\": 0, \"crashed\": true, \"backtrace\": {\"skipped\": 0, \"contents\": [\(frames)]}}"

  private func report(error: String, threads: String = "\"threads\": [\(thread)]") -> String {
    """
    {"report": {"version": "3.2.0", "type": "standard"}, "system": {"process_name": "Larder",
     "CFBundleExecutablePath": "/private/var/containers/Bundle/Application/4444/Larder.app/Larder"},
     "binary_images": [], "crash": {"error": \(error), \(threads)}}
    """
  }

  @Test func aDeadlockOfTheMainThread() throws {
    let reading = try Reading(file: "ForeignStacks/kscrash-deadlock.json")
    #expect(reading.trace.program == "Larder" && reading.trace.threads(.usual).map(\.isMain) == [true])
    #expect(reading.image == "ShelfKit" && reading.groups[0]?.cause == .wait)
    #expect(reading.facts(.exception) == ["deadlock"])
    #expect(reading.facts(.explanation) == ["Main thread deadlocked in Shelf.lock()"])
    // The name `<redacted>` is not used.
    #expect(reading.groups[0]?.example.frames[3].name == "Larder + 4196")
  }

  @Test func anException() throws {
    let error = """
      {"type": "nsexception", "mach": {"exception": 10, "exception_name": "EXC_CRASH"}, "signal": {"name": "SIGABRT"},
       "nsexception": {"name": "NSRangeException", "reason": "index 3 beyond bounds"}}
      """
    let reading = try Reading(report(error: error))
    #expect(reading.facts(.exception) == ["NSRangeException (SIGABRT)"])
    #expect(reading.facts(.reason) == ["index 3 beyond bounds"])
    #expect(reading.blamed == ["Larder + 196"] && reading.innermost == "__exceptionPreprocess")
  }

  @Test func aMachException() throws {
    let error =
      #"{"type": "mach", "mach": {"exception_name": "EXC_BAD_ACCESS"}, "signal": {"name": "SIGSEGV"}}"#
    let reading = try Reading(report(error: error))
    #expect(reading.facts(.exception) == ["EXC_BAD_ACCESS (SIGSEGV)"] && reading.facts(.reason).isEmpty)
  }

  @Test func aHangThatTheWatchdogEnded() throws {
    let error = """
      {"type": "mach", "mach": {"exception_name": "EXC_CRASH"}, "exit_reason": {"code": 2343432205},
       "hang": {"hang_start_nanos": 1000000000, "hang_end_nanos": 9002115291}}
      """
    let reading = try Reading(report(error: error))
    #expect(reading.facts(.duration) == ["8.002 s"] && reading.facts(.termination) == ["0x8badf00d"])
    #expect(reading.trace.facts.contains { $0.meaning?.contains("watchdog") == true })
  }

  /// The reporter crashed while it wrote the report, which has only the crashed thread.
  @Test func aCrashOfTheReporter() throws {
    let text = report(
      error: #"{"type": "signal", "signal": {"name": "SIGBUS"}}"#,
      threads: "\"crashed_thread\": \(Self.thread)")
    let reading = try Reading(text)
    #expect(reading.trace.kind == .ksCrash && reading.trace.threads.count == 1)
    #expect(reading.blamed == ["Larder + 196"] && reading.outermost == "main")
    #expect(reading.facts(.exception) == ["signal (SIGBUS)"])
  }

  @Test func aListOfReports() throws {
    let reports = ["deadlock", "cpp_exception"].map { report(error: "{\"type\": \"\($0)\"}") }
    let reading = try Reading("[\(reports.joined(separator: ",\n"))]")
    #expect(reading.blamed == ["Larder + 196", "Larder + 196"])
    #expect(reading.facts(.exception) == ["deadlock", "cpp_exception"])
    #expect(reading.trace.facts.map(\.section) == ["report 1", "report 2"])
  }

  @Test func withoutFrames() {
    for threads in ["\"threads\": []", "\"threads\": [{\"index\": 0}]"] {
      let mistake = StackTexts.mistake(report(error: "{\"type\": \"memory_termination\"}", threads: threads))
      #expect(mistake == "line 1: the threads of this KSCrash report have no frames")
    }
  }
}
