import Backtraces
import Foundation
import Testing

/// Reports of PLCrashReporter, which have the form of Apple's.
@Suite struct PLCrashReportTests {
  private func live() throws -> String { try Reading.text("Stacks/plcrashreporter-live.txt") }

  /// The report marks the monitor's thread as crashed, because the monitor asked for it.
  @Test func aLiveReportBlamesTheMainThread() throws {
    let reading = try Reading(live())
    #expect(reading.trace.threads(.usual).map(\.number) == [0] && reading.blamed == ["-[Basket total]"])
    #expect(reading.trace.threads.allSatisfy { !$0.isAttributed })
    #expect(reading.trace.threads(.thread("4")).count == 1)
    let event = try #require(reading.trace.facts.first { $0.subject == .event })
    #expect(event.value == "live report" && event.meaning?.contains("no thread crashed") == true)
  }

  /// A report of a crash judges the thread that crashed.
  @Test func aCrash() throws {
    let reading = try Reading(
      live().replacingOccurrences(of: "TRAP_TRACE at", with: "TRAP_BRKPT at"))
    #expect(reading.trace.kind == .plCrashReporter && reading.facts(.event).isEmpty)
    #expect(reading.trace.threads(.usual).map(\.number) == [4])
    #expect(reading.blamed == ["-[StallMonitor report]"] && reading.facts(.exception) == ["SIGTRAP"])
  }

  /// Apple's systems write the name of a Mach exception before the signal, and a code may have the same form.
  @Test func aReportOfTheSystem() throws {
    let reading = try Reading(
      live().replacingOccurrences(
        of: "Exception Type:  SIGTRAP", with: "Exception Type:  EXC_BREAKPOINT (SIGTRAP)"))
    #expect(reading.trace.kind == .appleReport && reading.trace.threads(.usual).map(\.number) == [4])
  }

  /// A live report may have an exception that the program caught.
  @Test func aLiveReportOfAnException() throws {
    let exception = """
      Application Specific Information:
      *** Terminating app due to uncaught exception 'NSRangeException', reason: 'beyond the end'

      Last Exception Backtrace:
      0   CoreFoundation                      0x00000001a5e8b1c0 __exceptionPreprocess + 164
      1   libobjc.A.dylib                     0x000000019e7a2018 objc_exception_throw + 60
      2   Orchard                             0x0000000100a6b20c -[Basket itemAtIndex:] + 300

      Thread 0:
      """
    let reading = try Reading(live().replacingOccurrences(of: "Thread 0:", with: exception))
    #expect(reading.trace.threads(.usual).map(\.isLastException) == [true])
    #expect(reading.blamed == ["-[Basket itemAtIndex:]"])
  }

  /// A monitor prints its reports after other text, so that the first line of each is not at the start of a line.
  @Test func reportsInALog() throws {
    let line = "2026-03-02 08:15:27.318 Orchard[812:90817] stall: \n "
    let reading = try Reading(line + live() + line + live())
    #expect(reading.trace.kind == .plCrashReporter)
    #expect(reading.blamed == ["-[Basket total]", "-[Basket total]"])
  }
}
