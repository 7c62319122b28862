import TraceGate

/// The rules of one test, with limits as they apply on this machine.
struct BudgetRules: Sendable {
  private(set) var rules: [GateRule] = []
  /// The mistakes in rules that cannot be parsed, as messages.
  private(set) var mistakes: [String]
  let settings: BudgetSettings

  /// Parses rules of the language of `rltrace gate`. Without rules, the default budget of `gate` applies.
  init(_ texts: [String], _ settings: BudgetSettings = .current) {
    self.settings = settings
    mistakes = settings.mistakes
    for text in texts {
      do throws(RuleError) {
        rules.append(try RuleParser.parse(text))
      } catch {
        mistakes.append("\(text): \(error)")
      }
    }
    if texts.isEmpty { rules = DefaultBudget.rules }
    rules = rules.map { $0.scaled(by: settings.scale) }
  }

  /// The shortest time that a rule allows a loop to be busy, or 250 ms if no rule limits that.
  var shortestLimitNs: UInt64 {
    let limits = rules.compactMap { rule -> Double? in
      guard rule.measure.metric.isOfSpans, rule.measure.aggregate == .max, rule.comparison.isUpperLimit,
        case .literal(let limit) = rule.limit
      else { return nil }
      return limit
    }
    return limits.min().map { UInt64(clamping: max($0, 1e6)) }
      ?? UInt64(clamping: 250_000_000 * settings.scale)
  }

  /// The text of a rule in a message, with its limit if that was scaled.
  func text(_ rule: GateRule) -> String {
    let heading = rule.name.map { "\($0): \(rule.text)" } ?? rule.text
    return settings.scale != 1 && rule.isScalable ? "\(heading) × \(settings.scale.formatted)" : heading
  }
}

extension GateRule {
  /// Whether the limit is a time, or a time per second, that slow machines exceed.
  fileprivate var isScalable: Bool {
    guard [.time, .rate].contains(measure.dimension), comparison.isUpperLimit, case .literal = limit else {
      return false
    }
    return true
  }

  fileprivate func scaled(by factor: Double) -> GateRule {
    guard isScalable, case .literal(let value) = limit else { return self }
    var scaled = self
    scaled.limit = .literal(value * factor)
    return scaled
  }
}

extension GateRule.Comparison {
  fileprivate var isUpperLimit: Bool { self == .less || self == .lessOrEqual }
}

extension Double {
  fileprivate var formatted: String { self == rounded() ? "\(Int(self))" : "\(self)" }
}
