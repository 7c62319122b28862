import RunLoopVocabulary
import SystemSupport

/// A statement of a report about the event that it was written for.
package struct ReportFact: Hashable, Sendable {
  package enum Subject: String, Sendable, Named, CaseIterable {
    /// The kind of event, such as "Timed Out Runloop Hang", and its reason.
    case event, reason
    /// The part of the system that ended the process, and its code.
    case termination
    /// The system's explanation.
    case explanation
    case exception, signal
    /// The operation that the process had to complete in time.
    case watchdogEvent = "watchdog_event"
    /// The time allowed for it.
    case allowance
    /// The duration of the hang.
    case duration
    /// The CPU time of all processes, and of the app alone, while the watchdog waited.
    case totalCPUTime = "total_cpu_time"
    case appCPUTime = "app_cpu_time"
    /// The number of samples and the interval between them.
    case steps
    /// The limit of Dispatch's threads that was reached.
    case dispatchLimit = "dispatch_limit"

    package var name: String { rawValue }
    package var words: String { rawValue.with(" ", for: "_").with("CPU", for: "cpu") }
  }

  /// The diagnostic that the fact is about, in a text about several; else nil.
  package private(set) var section: String?
  package let subject: Subject
  /// The value as the report states it.
  package let value: String
  /// The meaning of the value, where known.
  package let meaning: String?

  init(_ subject: Subject, _ value: String, meaning: String? = nil) {
    self.subject = subject
    self.value = value
    self.meaning = meaning
  }

  /// Returns the same fact about one of several diagnostics.
  func of(_ section: String?) -> ReportFact {
    var fact = self
    fact.section = section
    return fact
  }

  // MARK: Text reports

  private static let keys: [(key: String, subject: Subject)] = [
    ("Exception Type:", .exception), ("Event:", .event), ("Reason:", .reason), ("Duration:", .duration),
    ("Steps:", .steps),
  ]

  /// Returns the facts in a line of a report's header; none for any other line.
  static func ofText(_ line: Substring) -> [ReportFact] {
    if line.hasPrefix("Termination ") { return TerminationReason.ofText(line) }
    let limits = ofDispatch(line)
    guard limits.isEmpty else { return limits }
    for (key, subject) in keys where line.hasPrefix(key) {
      let value = line.dropFirst(key.count).trimmed
      return value.isEmpty ? [] : [ReportFact(subject, shortened(value))]
    }
    return []
  }

  /// Parses `Dispatch Thread Soft Limit Reached: 64 (too many dispatch threads blocked in synchronous operations)`,
  /// possibly behind other words.
  static func ofDispatch(_ line: Substring) -> [ReportFact] {
    for limit in ["Soft", "Hard"] {
      guard let place = line.place(of: "Dispatch Thread \(limit) Limit Reached") else { continue }
      return [
        ReportFact(
          .dispatchLimit, shortened(line[place.lowerBound...].prefix { !$0.isNewline }.trimmed),
          meaning:
            "Dispatch starts no further threads, so queued work waits until one of these threads continues")
      ]
    }
    return []
  }

  private static let longest = 300

  /// Shortens a value, because reports may contain texts of any length.
  static func shortened(_ text: Substring) -> String {
    text.count > longest ? text.prefix(longest) + "…" : String(text)
  }
}
