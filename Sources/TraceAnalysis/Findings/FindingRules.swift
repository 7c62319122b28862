import TraceFormat

/// Turns an analysis into findings: pure functions of its numbers.
enum FindingRules {
  static func findings(in analysis: Analysis) -> [Finding] {
    var found: [Finding] = []
    for timer in analysis.timers { found += TimerRules.findings(timer, in: analysis) }
    found += TimerRules.priceOfTracking(analysis)
    found += HangRules.findings(in: analysis)
    found += LoopRules.findings(in: analysis)
    found += LifeRules.findings(in: analysis)
    return found.sorted {
      ($0.severity.rawValue, $1.weight, $0.rule.rawValue, $0.text)
        < ($1.severity.rawValue, $0.weight, $1.rule.rawValue, $1.text)
    }
  }

  static func isTracking(_ mode: String) -> Bool { mode.has("Tracking") }

  static let defaultMode = "kCFRunLoopDefaultMode"
}

/// `part` is `share` of `whole` or more. In floating point: products of a damaged file's numbers overflow.
func isAtLeast(_ part: UInt64, _ share: Double, of whole: UInt64) -> Bool {
  Double(part) >= share * Double(whole)
}

/// Pieces of sentences.
enum Say {
  /// Names come from files: nothing in them breaks a line.
  static func name(_ text: String) -> String { "\"\(harmless(text))\"" }

  static func count(_ number: UInt64, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }
}
