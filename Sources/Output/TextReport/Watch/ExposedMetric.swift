import TraceResults

/// A text format of metrics for a scraper.
package enum ExpositionFormat: Sendable {
  /// OpenMetrics 1.0.
  case openMetrics
  /// The text format 0.0.4 of Prometheus, which the textfile collector of node_exporter reads. It names counters by
  /// their samples, and has neither units nor an end.
  case prometheus
}

/// One metric of an exposition, declared once. Its lines and its row in docs/reference/commands/watch.md are made
/// from this.
package struct ExposedMetric<Row>: Sendable {
  package enum Kind: String, Sendable { case counter, gauge }
  package enum Unit: String, Sendable { case none = "", seconds, ratio }

  /// The name of the family, with its unit and without `_total`.
  let family: String
  let kind: Kind
  let unit: Unit
  let help: String
  /// In `unit`; nil = not known, so that there is no sample.
  let value: @Sendable (Row) -> Double?

  private init(
    _ kind: Kind, _ name: String, _ unit: Unit, _ help: String, _ value: @escaping @Sendable (Row) -> Double?
  ) {
    family = "rltrace_\(name)" + (unit == .none ? "" : "_\(unit.rawValue)")
    self.kind = kind
    self.unit = unit
    self.help = help
    self.value = value
  }

  static func count(
    _ kind: Kind, _ name: String, _ help: String, _ value: @escaping @Sendable (Row) -> UInt64?
  ) -> ExposedMetric {
    ExposedMetric(kind, name, .none, help) { value($0).map { Double($0) } }
  }

  /// `value` returns nanoseconds.
  static func time(
    _ kind: Kind, _ name: String, _ help: String, _ value: @escaping @Sendable (Row) -> UInt64?
  ) -> ExposedMetric {
    ExposedMetric(kind, name, .seconds, help) { value($0).map { Double($0) / 1e9 } }
  }

  static func share(
    _ name: String, _ help: String, _ value: @escaping @Sendable (Row) -> Double?
  ) -> ExposedMetric {
    ExposedMetric(.gauge, name, .ratio, help, value)
  }

  /// The name of its samples.
  package var sample: String { kind == .counter ? family + "_total" : family }

  /// The row of the page: sample, type, unit, meaning.
  package var pageRow: String { "| `\(sample)` | \(kind.rawValue) | \(unit.rawValue) | \(help) |" }

  /// Appends the lines of the metric, one sample for each row with a value. Without any, it appends nothing.
  func write(_ rows: [(labels: String, row: Row)], as format: ExpositionFormat, to text: inout String) {
    let samples = rows.compactMap { labels, row in
      value(row).map { "\(sample)\(labels) \(ExpositionText.number($0))\n" }
    }
    guard !samples.isEmpty else { return }
    let name = format == .openMetrics ? family : sample
    text += "# TYPE \(name) \(kind.rawValue)\n"
    if format == .openMetrics, unit != .none { text += "# UNIT \(name) \(unit.rawValue)\n" }
    text += "# HELP \(name) \(ExpositionText.escaped(help))\n"
    for sample in samples { text += sample }
  }
}

/// The parts of a line.
enum ExpositionText {
  /// Returns the text with `\`, `"` and line feeds escaped, as in a label's value.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Returns `{name="value",…}`. Names of a program may be anything, so the values are safe to print.
  static func labels(_ labels: KeyValuePairs<String, String>) -> String {
    "{" + labels.map { "\($0.key)=\"\(escaped(harmless($0.value, limit: 200)))\"" }.joined(separator: ",")
      + "}"
  }

  /// Returns a number that is neither infinite nor NaN. Whole numbers have no fraction.
  static func number(_ value: Double) -> String {
    abs(value) < 0x1p53 && value == value.rounded() ? "\(Int64(clamping: value))" : "\(value)"
  }
}
