import RunLoopVocabulary
import SystemSupport

/// The kind of a text with stacks, by the tool that wrote it.
package enum BacktraceKind: String, CaseIterable, Sendable, Named {
  case ips
  case appleReport = "apple_report"
  case plCrashReporter = "plcrashreporter"
  case spindump
  case sample
  case metricKit = "metrickit"
  case ksCrash = "kscrash"
  case sentry
  case lldb
  case list
  case swift
  case swiftJSON = "swift_json"
  case gdb
  case euStack = "eu_stack"
  case backtraceSymbols = "backtrace_symbols"

  package var name: String { rawValue }
  package var words: String { about.words }

  /// A description of a kind, and of the data that its texts have.
  package struct About: Sendable {
    package let words: String
    /// The programs or systems that write it.
    package let from: String
    package let threads: String
    /// The durations that it states.
    package let time: String
    package let lockOwners: String
    package let names: String
    package let example: String
  }

  package var about: About {
    switch self {
    case .ips:
      About(
        words: "Apple .ips report",
        from: "iOS 15, macOS 12 and later: crashes and watchdog terminations as JSON",
        threads: "all", time: "watchdog times", lockOwners: "no", names: "some",
        example: "MyApp-2026-01-31.ips")
    case .appleReport:
      About(
        words: "Apple crash or hang report", from: "crash reports as text, symbolicated or not",
        threads: "all",
        time: "watchdog times", lockOwners: "no", names: "if symbolicated", example: "MyApp.crash")
    case .plCrashReporter:
      About(
        words: "PLCrashReporter report",
        from: "PLCrashReporter as text: reports of crashes, and live reports of a running program",
        threads: "all", time: "no", lockOwners: "no", names: "some", example: "live-report.txt")
    case .spindump:
      About(
        words: "call tree of spindump",
        from: "spindump, tailspin, .hang files, .ips reports of hangs (bug_type 228), microstackshots",
        threads: "all", time: "samples, duration", lockOwners: "yes", names: "some", example: "spindump.txt")
    case .sample:
      About(
        words: "call tree of sample", from: "sample, Activity Monitor", threads: "all", time: "samples",
        lockOwners: "no", names: "yes", example: "sample MyApp 3 -file /dev/stdout | rltrace stack -")
    case .metricKit:
      About(
        words: "MetricKit diagnostics",
        from: "iOS 14, macOS 12 and later: payloads, diagnostics, or their trees; iOS 27: reports as JSON",
        threads: "all for a crash, else one", time: "duration of a hang", lockOwners: "no", names: "no",
        example: "payload.json --symbols MyApp.xcarchive")
    case .ksCrash:
      About(
        words: "KSCrash report", from: "KSCrash 1 and 2 as JSON", threads: "all", time: "no",
        lockOwners: "no",
        names: "some", example: "report.json")
    case .sentry:
      About(
        words: "Sentry event", from: "events of Sentry's native and Cocoa SDKs as JSON", threads: "most",
        time: "no", lockOwners: "no", names: "if symbolicated", example: "event.json")
    case .lldb:
      About(
        words: "backtrace of lldb", from: "bt, bt all, thread backtrace all", threads: "as printed",
        time: "no",
        lockOwners: "no", names: "yes", example: "bt.txt")
    case .list:
      About(
        words: "numbered list of frames", from: "Thread.callStackSymbols of Apple's systems, pasted stacks",
        threads: "one", time: "no", lockOwners: "no", names: "yes", example: "stack.txt")
    case .swift:
      About(
        words: "backtrace of Swift",
        from: "SWIFT_BACKTRACE of Swift 5.9 and later on Linux, plain or coloured",
        threads: "as printed", time: "no", lockOwners: "no", names: "yes", example: "crash.txt")
    case .swiftJSON:
      About(
        words: "backtrace of Swift as JSON", from: "SWIFT_BACKTRACE with format=json, Swift 6.2 and later",
        threads: "all", time: "no", lockOwners: "no", names: "yes", example: "crash.json")
    case .gdb:
      About(
        words: "backtrace of gdb", from: "bt, bt full, thread apply all bt, gstack and pstack",
        threads: "as printed",
        time: "no", lockOwners: "if printed", names: "yes",
        example: "gdb -p 1234 -batch -ex 'thread apply all bt' | rltrace stack -")
    case .euStack:
      About(
        words: "backtrace of eu-stack", from: "eu-stack of elfutils, with and without -m and -s",
        threads: "all",
        time: "no", lockOwners: "no", names: "yes", example: "eu-stack -p 1234 | rltrace stack -")
    case .backtraceSymbols:
      About(
        words: "backtrace_symbols() of glibc", from: "Thread.callStackSymbols on Linux", threads: "one",
        time: "no",
        lockOwners: "no", names: "exported ones", example: "symbols.txt --symbols build")
    }
  }

  /// The lines of a Markdown table of all kinds.
  package static var table: [String] {
    let title = ["kind", "what", "from", "threads", "time", "lock owners", "names", "example"]
    func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
    return [row(title), "|" + String(repeating: "---|", count: title.count)]
      + allCases.map { kind in
        let about = kind.about
        let example = about.example.contains("rltrace") ? about.example : "rltrace stack \(about.example)"
        return row([
          kind.name, about.words, about.from, about.threads, about.time, about.lockOwners, about.names,
          // A bar would end the cell.
          "`\(example.with("\\|", for: "|"))`",
        ])
      }
  }
}
