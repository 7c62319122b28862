import RunLoopVocabulary

/// Who wrote a text with stacks.
public enum BacktraceKind: String, Sendable, Named {
  case appleReport = "apple_report"
  case ips
  case sample
  case spindump
  case metricKit = "metrickit"
  case swift
  case swiftJSON = "swift_json"
  case gdb
  case lldb
  case list

  public var name: String { rawValue }

  public var words: String {
    switch self {
    case .appleReport: "Apple crash or hang report"
    case .ips: "Apple .ips report"
    case .sample: "call tree of sample"
    case .spindump: "call tree of spindump"
    case .metricKit: "MetricKit diagnostics"
    case .swift: "backtrace of Swift"
    case .swiftJSON: "backtrace of Swift as JSON"
    case .gdb: "backtrace of gdb"
    case .lldb: "backtrace of lldb"
    case .list: "numbered list of frames"
    }
  }
}
