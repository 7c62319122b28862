import TraceAnalysis
import TraceReplay

/// An error in a rule, with its position.
package struct RuleError: Error, Equatable, Sendable, CustomStringConvertible {
  /// In characters, from 1.
  package var column: Int
  package var what: String

  package var description: String { "column \(column): \(what)" }
}

/// Parses rules by recursive descent.
///
///     rule     = measure ("<" | "<=" | ">" | ">=" | "==" | "!=") limit
///     measure  = aggregate "(" series {"," selector} ")" | number-name ["(" [selector {"," selector}] ")"]
///     selector = key "=" value
///     value    = characters other than blank , ( ) " | '"' characters, \" and \\ '"'
///     limit    = literal | [factor "*"] "baseline" ["+" literal]
///     literal  = number [unit]; a time or rate other than 0 needs its unit, and so does a share above 1
package struct RuleParser {
  /// The maximum length of a rule in bytes.
  static let longest = 100_000
  private let text: [Character]
  private var at = 0

  package static func parse(_ text: String, name: String? = nil) throws(RuleError) -> GateRule {
    guard text.utf8.count <= longest else {
      throw RuleError(column: 1, what: "a rule has at most \(longest) bytes")
    }
    var parser = RuleParser(text)
    return try parser.rule(text, name)
  }

  private init(_ text: String) { self.text = Array(text) }

  private mutating func rule(_ text: String, _ name: String?) throws(RuleError) -> GateRule {
    let measure = try measure()
    let comparison = try comparison()
    let limit = try limit(measure.dimension)
    guard next() == self.text.count else { throw error("nothing may follow the limit") }
    return GateRule(text: text, name: name, measure: measure, comparison: comparison, limit: limit)
  }

  // MARK: Measures

  private mutating func measure() throws(RuleError) -> GateRule.Measure {
    let begin = next()
    let word = word()
    let aggregate = Aggregate(rawValue: word)
    let metric: Metric
    if let aggregate {
      guard take("(") else { throw error("expected '(', as in \(example(aggregate))", at: next()) }
      metric = try series(aggregate)
    } else if let known = Metric(name: word), !known.isSeries {
      metric = known
    } else {
      throw error(unknownMeasure(word), at: begin)
    }
    var measure = GateRule.Measure(metric: metric, aggregate: aggregate, selectors: [:], atLeastNs: nil)
    // A number without parentheses covers everything.
    if aggregate == nil, !take("(") { return measure }
    var isFirst = aggregate == nil
    while !take(")") {
      if !isFirst { try expect(",", or: ")") }
      isFirst = false
      try selector(&measure)
    }
    if (measure[.state] == nil) != (measure[.value] == nil) {
      throw error("state and value belong together, such as state=screen, value=Feed", at: begin)
    }
    if metric.isOfSpans, (aggregate == .count) != (measure.atLeastNs != nil) {
      throw error(
        aggregate == .count
          ? "count(\(metric.name), …) needs at_least, such as at_least=250ms" : "only count takes at_least",
        at: begin)
    }
    return measure
  }

  private func unknownMeasure(_ word: String) -> String {
    let numbers = Metric.allCases.filter { !$0.isSeries }.map(\.name)
    let hint =
      if let series = Metric(name: word) {
        "'\(word)' needs an aggregate: \(series.aggregates[0].rawValue)(\(word))"
      } else if word.isEmpty {
        "a rule begins with a measure"
      } else {
        "no measure '\(word)'" + KnownNames.suggestion(word, in: numbers)
      }
    return hint + "; known: " + list(Aggregate.allCases.map(\.rawValue)) + " with a series, and "
      + list(numbers)
      + "; for example \(example(.max)) < 250ms or \(Self.numberExample)"
  }

  private static let numberExample = "skipped(timer=NAME) == 0"

  /// Returns a measure with the aggregate.
  private func example(_ aggregate: Aggregate) -> String {
    let fitting = Metric.allCases.filter { $0.aggregates.contains(aggregate) }
    let series = fitting.first { $0.name == "busy" && aggregate != .count } ?? fitting.first { !$0.isOfSpans }
    return "\(aggregate.rawValue)(\(series?.name ?? "…"))"
  }

  private mutating func series(_ aggregate: Aggregate) throws(RuleError) -> Metric {
    let begin = next()
    let word = word()
    let fitting = Metric.allCases.filter { $0.aggregates.contains(aggregate) }
    guard let metric = Metric(name: word), metric.isSeries else {
      let names = fitting.map(\.name)
      throw error(
        "\(aggregate.rawValue) needs a series: \(list(names))\(KnownNames.suggestion(word, in: names))",
        at: begin)
    }
    guard fitting.contains(metric) else {
      throw error(
        "\(word) has no \(aggregate.rawValue); it has: " + list(metric.aggregates.map(\.rawValue)),
        at: begin)
    }
    return metric
  }

  private mutating func selector(_ measure: inout GateRule.Measure) throws(RuleError) {
    let begin = next()
    let word = word()
    let allowed = measure.metric.selectors
    guard let selector = Selector(rawValue: word), allowed.contains(selector) else {
      throw error(
        allowed.isEmpty
          ? "\(measure.metric.name) has no selectors"
          : "expected one of \(list(allowed.map(\.rawValue))), such as \(allowed[0].rawValue)=…", at: begin)
    }
    try expect("=")
    let place = next()
    let value = try value()
    guard measure.selectors.updateValue(ShownName.of(value), forKey: selector) == nil else {
      throw error("\(word) occurs twice", at: begin)
    }
    try check(value, of: selector, at: place, &measure)
  }

  /// Checks a selector's value. Words of a closed set are checked here, names when the trace is available.
  private func check(
    _ value: String, of selector: Selector, at place: Int, _ measure: inout GateRule.Measure
  ) throws(RuleError) {
    func oneOf(_ words: [String]) throws(RuleError) {
      guard words.contains(value) else {
        throw error("no \(selector.rawValue) '\(value)'; known: \(list(words))", at: place)
      }
    }
    switch selector {
    case .cause: try oneOf(Cause.allCases.map(\.name))
    case .severity: try oneOf(Finding.Severity.allCases.map(\.name))
    case .rule: try oneOf(FindingRules.all.map(\.id.rawValue))
    case .atLeast:
      let classes = measure.metric == .busy ? BusyClass.allCases : []
      let named = classes.first { $0.name == value }?.fromNs
      measure.atLeastNs = named ?? (try? DurationText.statedNanoseconds(value)).flatMap { $0 >= 1 ? $0 : nil }
      if measure.atLeastNs == nil {
        let words = classes.isEmpty ? "" : ", or \(list(classes.map(\.name)))"
        throw error("expected \(DurationText.statedExpectation)" + words, at: place)
      }
    default: break
    }
  }

  private mutating func value() throws(RuleError) -> String {
    guard take("\"") else {
      let value = take { !$0.isWhitespace && !",()\"".contains($0) }
      guard !value.isEmpty else {
        throw error("expected a value; a value with blanks, commas or brackets needs quotes")
      }
      return value
    }
    let begin = at
    var value = ""
    while true {
      value += take { $0 != "\"" && $0 != "\\" }
      guard at < text.count else {
        throw error("the quoted value that begins here has no closing quote", at: begin - 1)
      }
      at += 1
      if text[at - 1] == "\"" { return value }
      guard at < text.count, text[at] == "\"" || text[at] == "\\" else {
        throw error("only \" and \\ may follow a \\", at: at - 1)
      }
      value.append(text[at])
      at += 1
    }
  }

  // MARK: Comparison and limit

  private mutating func comparison() throws(RuleError) -> GateRule.Comparison {
    let begin = next()
    // Longer operators come first.
    for known in GateRule.Comparison.allCases where text[begin...].starts(with: known.rawValue) {
      at += known.rawValue.count
      return known
    }
    throw error("expected a comparison (< <= > >= == !=), as in \(Self.numberExample)")
  }

  private mutating func limit(_ dimension: Dimension) throws(RuleError) -> GateRule.Limit {
    let begin = next()
    if begin < text.count, text[begin].isLetter {
      return .baseline(factor: 1, plus: try baseline(dimension))
    }
    let number = try number()
    if take("*") { return .baseline(factor: number, plus: try baseline(dimension)) }
    at = begin
    return .literal(try literal(dimension))
  }

  /// Parses from the word `baseline` on. Returns the number that is added.
  private mutating func baseline(_ dimension: Dimension) throws(RuleError) -> Double {
    let begin = next()
    guard word() == "baseline" else { throw error(Self.noNumber, at: begin) }
    return take("+") ? try literal(dimension) : 0
  }

  private mutating func literal(_ dimension: Dimension) throws(RuleError) -> Double {
    let begin = next()
    let number = try number()
    let end = at
    next()
    let unit = take { $0.isLetter || $0 == "%" || dimension == .rate && $0 == "/" }
    if unit.isEmpty { at = end }
    switch dimension {
    case .time:
      do throws(DurationError) {
        return Double(try DurationText.statedNanoseconds(String(text[begin..<at])))
      } catch {
        throw self.error(error.what, at: begin)
      }
    case .ratio:
      guard unit.isEmpty || unit == "%" else {
        throw error("expected a share, such as 0.8 or 80%", at: begin)
      }
      guard unit == "%" || number <= 1 else {
        throw error("a share without a unit is at most 1; expected 0.8 or 80%", at: begin)
      }
      return unit == "%" ? number / 100 : number
    case .rate:
      guard unit == "ms/s" || unit.isEmpty && number == 0 else {
        throw error("expected milliseconds per second, such as 5ms/s", at: begin)
      }
      return number
    case .count:
      guard unit.isEmpty, number.rounded() == number else {
        throw error("expected a whole number without a unit: this is a count", at: begin)
      }
      return number
    }
  }

  private static let noNumber = "expected a number, baseline, or a factor such as 1.1 * baseline"

  private mutating func number() throws(RuleError) -> Double {
    let begin = at
    guard let number = Double(take { $0.isASCII && ($0.isNumber || $0 == ".") }), number <= 1e18 else {
      throw error(Self.noNumber, at: begin)
    }
    return number
  }

  // MARK: Characters

  private mutating func take(while isTaken: (Character) -> Bool) -> String {
    let taken = text[at...].prefix(while: isTaken)
    at = taken.endIndex
    return String(taken)
  }

  /// Skips spaces and returns the position.
  @discardableResult
  private mutating func next() -> Int {
    _ = take(while: \.isWhitespace)
    return at
  }

  private mutating func word() -> String { take { $0.isLetter || $0.isNumber || $0 == "_" } }

  /// Takes a character, ignoring spaces before it.
  private mutating func take(_ character: Character) -> Bool {
    let begin = at
    let isThere = next() < text.count && text[at] == character
    at = isThere ? at + 1 : begin
    return isThere
  }

  private mutating func expect(_ character: Character, or other: Character? = nil) throws(RuleError) {
    guard take(character) else {
      next()
      throw error("expected '\(character)'" + (other.map { " or '\($0)'" } ?? ""))
    }
  }

  private func error(_ what: String, at place: Int? = nil) -> RuleError {
    RuleError(column: (place ?? at) + 1, what: what)
  }

  private func list(_ words: [String]) -> String { words.joined(separator: ", ") }
}
