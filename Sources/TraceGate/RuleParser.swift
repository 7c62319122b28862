import Durations
import TraceAnalysis
import TraceReplay

/// What is wrong with a rule, and where.
public struct RuleError: Error, Equatable, Sendable, CustomStringConvertible {
  /// In characters, from 1.
  public var column: Int
  public var what: String

  public var description: String { "column \(column): \(what)" }
}

/// Reads rules by recursive descent.
///
///     rule     = measure ("<" | "<=" | ">" | ">=" | "==" | "!=") limit
///     measure  = aggregate "(" series {"," selector} ")" | number-name "(" [selector {"," selector}] ")"
///     selector = key "=" value
///     value    = characters other than blank , ( ) " | '"' characters, \" and \\ '"'
///     limit    = literal | [factor "*"] "baseline" ["+" literal]
///     literal  = number [unit]; a time without one is seconds
public struct RuleParser {
  /// Longer rules are refused.
  static let longest = 100_000
  private let text: [Character]
  private var at = 0

  public static func parse(_ text: String, name: String? = nil) throws(RuleError) -> GateRule {
    guard text.utf8.count <= longest else {
      throw RuleError(column: 1, what: "a rule is at most \(longest) bytes long")
    }
    var parser = RuleParser(text)
    return try parser.rule(text, name)
  }

  private init(_ text: String) { self.text = Array(text) }

  private mutating func rule(_ text: String, _ name: String?) throws(RuleError) -> GateRule {
    let measure = try measure()
    let comparison = try comparison()
    let limit = try limit(measure.dimension)
    skipBlanks()
    guard at == self.text.count else { throw error("nothing may follow the limit") }
    return GateRule(text: text, name: name, measure: measure, comparison: comparison, limit: limit)
  }

  // MARK: Measures

  private mutating func measure() throws(RuleError) -> GateRule.Measure {
    skipBlanks()
    let begin = at
    let word = word()
    var aggregate: Aggregate?
    let metric: Metric
    if let known = Aggregate(rawValue: word) {
      aggregate = known
      try expect("(")
      metric = try series(known)
    } else if let known = Metric(named: word), !known.isSeries {
      metric = known
      try expect("(")
    } else {
      let hint =
        Metric(named: word).map { "'\(word)' needs an aggregate: \($0.aggregates[0].rawValue)(\(word))" }
        ?? (word.isEmpty ? "a rule begins with a measure" : "no measure '\(word)'")
      throw RuleError(
        column: begin + 1,
        what: hint + "; there is: " + RuleParser.list(Aggregate.allCases.map(\.rawValue))
          + " of a series, and " + RuleParser.list(Metric.allCases.filter { !$0.isSeries }.map(\.name)))
    }
    var measure = GateRule.Measure(metric: metric, aggregate: aggregate, selectors: [:], atLeastNs: nil)
    var isFirst = aggregate == nil
    while !take(")") {
      if !isFirst { try expect(",", or: ")") }
      isFirst = false
      try selector(&measure)
    }
    if metric.isOfSpans, (aggregate == .count) != (measure.atLeastNs != nil) {
      throw RuleError(
        column: begin + 1,
        what: aggregate == .count
          ? "count(\(metric.name), …) needs at_least, as at_least=250ms" : "at_least is for count only")
    }
    return measure
  }

  private mutating func series(_ aggregate: Aggregate) throws(RuleError) -> Metric {
    skipBlanks()
    let begin = at
    let word = word()
    let fitting = Metric.allCases.filter { $0.aggregates.contains(aggregate) }
    guard let metric = Metric(named: word), metric.isSeries else {
      throw RuleError(
        column: begin + 1,
        what: "\(aggregate.rawValue) is taken of a series: " + RuleParser.list(fitting.map(\.name)))
    }
    guard fitting.contains(metric) else {
      throw RuleError(
        column: begin + 1,
        what: "there is no \(aggregate.rawValue) of \(word); there is: "
          + RuleParser.list(metric.aggregates.map(\.rawValue)))
    }
    return metric
  }

  private mutating func selector(_ measure: inout GateRule.Measure) throws(RuleError) {
    skipBlanks()
    let begin = at
    let word = word()
    let allowed = measure.metric.selectors
    guard let selector = Selector(rawValue: word), allowed.contains(selector) else {
      throw RuleError(
        column: begin + 1,
        what: allowed.isEmpty
          ? "\(measure.metric.name) has no selectors"
          : "expected one of \(RuleParser.list(allowed.map(\.rawValue))), as \(allowed[0].rawValue)=…")
    }
    try expect("=")
    skipBlanks()
    let valueColumn = at + 1
    let value = try value()
    guard measure.selectors.updateValue(value, forKey: selector) == nil else {
      throw RuleError(column: begin + 1, what: "\(word) is there twice")
    }
    try check(value, of: selector, column: valueColumn, &measure)
  }

  /// Words of a closed set are checked here, names when the trace is at hand.
  private func check(
    _ value: String, of selector: Selector, column: Int, _ measure: inout GateRule.Measure
  ) throws(RuleError) {
    func oneOf(_ words: [String]) throws(RuleError) {
      guard words.contains(value) else {
        throw RuleError(
          column: column, what: "no \(selector.rawValue) '\(value)'; there is: \(RuleParser.list(words))")
      }
    }
    switch selector {
    case .cause: try oneOf(Cause.allCases.map(\.name))
    case .severity: try oneOf(Finding.Severity.allCases.map(\.name))
    case .rule: try oneOf(FindingRules.all.map(\.id.rawValue))
    case .atLeast:
      if let named = BusyClass.allCases.first(where: { $0.name == value }), measure.metric == .busy {
        measure.atLeastNs = named.fromNs
      } else {
        guard let ns = try? DurationText.nanoseconds(value), ns >= 1 else {
          throw RuleError(
            column: column,
            what: "expected \(DurationText.expectation)"
              + (measure.metric == .busy ? ", or \(RuleParser.list(BusyClass.allCases.map(\.name)))" : ""))
        }
        measure.atLeastNs = ns
      }
    default: break
    }
  }

  private mutating func value() throws(RuleError) -> String {
    guard take("\"") else {
      let begin = at
      while at < text.count, !text[at].isWhitespace, !",()\"".contains(text[at]) { at += 1 }
      guard at > begin else {
        throw error("expected a value; one with blanks, commas or brackets needs quotes")
      }
      return String(text[begin..<at])
    }
    let begin = at
    var value = ""
    while at < text.count {
      let character = text[at]
      at += 1
      if character == "\"" { return value }
      if character == "\\" {
        guard at < text.count, text[at] == "\"" || text[at] == "\\" else {
          throw RuleError(column: at, what: "only \" and \\ may follow a \\")
        }
        value.append(text[at])
        at += 1
      } else {
        value.append(character)
      }
    }
    throw RuleError(column: begin, what: "the quote that begins here does not end")
  }

  // MARK: Comparison and limit

  private mutating func comparison() throws(RuleError) -> GateRule.Comparison {
    skipBlanks()
    // The longer ones come first.
    for known in GateRule.Comparison.allCases where text[at...].starts(with: known.rawValue) {
      at += known.rawValue.count
      return known
    }
    throw error("expected a comparison: < <= > >= == !=")
  }

  private mutating func limit(_ dimension: Dimension) throws(RuleError) -> GateRule.Limit {
    skipBlanks()
    let begin = at
    if startsWithLetter {
      return .baseline(factor: 1, plus: try baseline(dimension))
    }
    let number = try number()
    skipBlanks()
    if take("*") {
      return .baseline(factor: number, plus: try baseline(dimension))
    }
    at = begin
    return .literal(try literal(dimension))
  }

  /// From the word on; returns what is added.
  private mutating func baseline(_ dimension: Dimension) throws(RuleError) -> Double {
    skipBlanks()
    let begin = at
    guard word() == "baseline" else {
      throw RuleError(column: begin + 1, what: "expected a number, baseline, or a factor as 1.1 * baseline")
    }
    skipBlanks()
    return take("+") ? try literal(dimension) : 0
  }

  private mutating func literal(_ dimension: Dimension) throws(RuleError) -> Double {
    skipBlanks()
    let begin = at
    let number = try number()
    let numberEnd = at
    skipBlanks()
    let unit = unit()
    if unit.isEmpty { at = numberEnd }
    switch dimension {
    case .time:
      do throws(DurationError) {
        return Double(try DurationText.nanoseconds(String(text[begin..<at])))
      } catch {
        throw RuleError(column: begin + 1, what: error.what)
      }
    case .ratio:
      guard unit.isEmpty || unit == "%" else {
        throw RuleError(column: begin + 1, what: "expected a share, as 0.8 or 80%")
      }
      return unit == "%" ? number / 100 : number
    case .count:
      guard unit.isEmpty, number.rounded() == number else {
        throw RuleError(column: begin + 1, what: "expected a whole number without a unit: this is a count")
      }
      return number
    }
  }

  private mutating func number() throws(RuleError) -> Double {
    let begin = at
    while at < text.count, text[at].isASCII, text[at].isNumber || text[at] == "." { at += 1 }
    guard let number = Double(String(text[begin..<at])), number <= 1e18 else {
      throw RuleError(column: begin + 1, what: "expected a number, baseline, or a factor as 1.1 * baseline")
    }
    return number
  }

  private mutating func unit() -> String {
    let begin = at
    while at < text.count, text[at].isLetter || text[at] == "%" { at += 1 }
    return String(text[begin..<at])
  }

  // MARK: Characters

  private var startsWithLetter: Bool { at < text.count && text[at].isLetter }

  private mutating func skipBlanks() { while at < text.count, text[at].isWhitespace { at += 1 } }

  private mutating func word() -> String {
    let begin = at
    while at < text.count, text[at].isLetter || text[at].isNumber || text[at] == "_" { at += 1 }
    return String(text[begin..<at])
  }

  /// Blanks before it do not count.
  private mutating func take(_ character: Character) -> Bool {
    let begin = at
    skipBlanks()
    guard at < text.count, text[at] == character else {
      at = begin
      return false
    }
    at += 1
    return true
  }

  private mutating func expect(_ character: Character, or other: Character? = nil) throws(RuleError) {
    guard take(character) else {
      skipBlanks()
      throw error("expected '\(character)'" + (other.map { " or '\($0)'" } ?? ""))
    }
  }

  private func error(_ what: String) -> RuleError { RuleError(column: at + 1, what: what) }

  private static func list(_ words: [String]) -> String { words.joined(separator: ", ") }
}
