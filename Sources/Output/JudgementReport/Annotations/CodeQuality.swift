import ReportWriting
import TraceFormat
import TraceTables

extension AnnotationReport {
  /// The faults as a code quality report of GitLab. A result without a line of the sources is in the first line of the
  /// judged file, because each result needs a place.
  package var gitlab: String {
    var known: [String: Int] = [:]
    let faults = annotations.filter { $0.level != .notice }.map { fault in
      let path = fault.place?.path ?? file
      // Without the line and the measured values, so that the fault is recognized in the next run.
      let identity = "\(fault.check)\n\(path)"
      known[identity, default: 0] += 1
      return Value.known([
        "description": fault.message, "check_name": fault.check, "severity": fault.level.severity,
        "fingerprint": Self.fingerprint("\(identity)\n\(known[identity] ?? 0)"),
        "location": Value.known(["path": path, "lines": Value.known(["begin": fault.place?.line ?? 1])]),
      ])
    }
    return JSONText.pretty(.list(faults)) + "\n"
  }

  /// Returns 16 hexadecimal digits.
  private static func fingerprint(_ text: String) -> String {
    let digits = String(XXHash64.hash(text), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension Annotation.Level {
  /// The severity in GitLab's words.
  fileprivate var severity: String {
    switch self {
    case .error: "major"
    case .warning: "minor"
    case .notice: "info"
    }
  }
}
