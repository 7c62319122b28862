import Foundation
import TraceFormat

/// What a trace says about where it comes from.
enum RecordingFacts {
  /// Of any recording made here.
  static var entries: [InfoEntry] {
    [
      InfoEntry(key: "recorder", value: rltraceVersion),
      InfoEntry(key: "system", value: system),
      InfoEntry(key: "machine", value: machine),
    ]
  }

  /// Of a recording of this very process.
  static var entriesHere: [InfoEntry] {
    entries + [InfoEntry(key: "process", value: "\(ProcessInfo.processInfo.processIdentifier)")]
  }

  private static var system: String {
    var facts = utsname()
    guard uname(&facts) == 0 else { return "unknown" }
    return "\(text(facts.sysname)) \(text(facts.release))"
  }

  private static var machine: String {
    var facts = utsname()
    guard uname(&facts) == 0 else { return "unknown" }
    return "\(text(facts.machine)), \(ProcessInfo.processInfo.activeProcessorCount) cores"
  }

  private static func text<T>(_ field: T) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
