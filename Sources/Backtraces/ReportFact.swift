import RunLoopVocabulary
import TraceFormat

/// What a report itself states about the event that it was made for.
public struct ReportFact: Hashable, Sendable {
  public enum Subject: String, Sendable, Named, CaseIterable {
    /// The kind of event, as "Timed Out Runloop Hang", and its reason.
    case event, reason
    /// The part of the system that ended the process, and its code.
    case termination
    /// The system's explanation.
    case explanation
    case exception, signal
    /// What the process was to do in time.
    case watchdogEvent = "watchdog_event"
    /// The time that it had for that.
    case allowance
    /// How long the hang was.
    case duration
    /// CPU time of all processes, and of the app alone, while the watchdog waited.
    case totalCPUTime = "total_cpu_time"
    case appCPUTime = "app_cpu_time"
    /// The number of samples, and how far they are apart.
    case steps

    public var name: String { rawValue }
    public var words: String { rawValue.with(" ", for: "_").with("CPU", for: "cpu") }
  }

  /// In a text about several diagnostics, which of them; else nil.
  public private(set) var section: String?
  public let subject: Subject
  /// As the report has it.
  public let value: String
  /// What it stands for, where that is known.
  public let meaning: String?

  init(_ subject: Subject, _ value: String, meaning: String? = nil) {
    self.subject = subject
    self.value = value
    self.meaning = meaning
  }

  /// The same fact, stated of one of several diagnostics.
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

  /// The facts of a line of a report's header; none for any other line.
  static func ofText(_ line: Substring) -> [ReportFact] {
    if line.hasPrefix("Termination ") { return TerminationReason.ofText(line) }
    for (key, subject) in keys where line.hasPrefix(key) {
      let value = line.dropFirst(key.count).trimmed
      return value.isEmpty ? [] : [ReportFact(subject, shortened(value))]
    }
    return []
  }

  private static let longest = 300

  /// A report may have any length of words.
  static func shortened(_ text: Substring) -> String {
    text.count > longest ? text.prefix(longest) + "…" : String(text)
  }
}
