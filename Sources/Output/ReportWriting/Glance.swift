import Foundation
import TraceAnalysis

/// A whole trace at a glance, as rows of a picture: when a loop hung and what held it, when timers starved, and which
/// modes ran. Pages without a script use it.
package struct Glance {
  /// The axis that all pictures of a page share, so that they can be compared.
  package struct Axis {
    /// The offset of the trace's beginning from that of the axis.
    let offsetNs: UInt64
    /// The length of the axis.
    let lengthNs: UInt64

    package init(offsetNs: UInt64 = 0, lengthNs: UInt64) {
      (self.offsetNs, self.lengthNs) = (offsetNs, lengthNs)
    }

    func x(_ ns: UInt64) -> Double {
      Double(offsetNs &+ ns) / Double(max(lengthNs, 1)) * Glance.width
    }
  }

  /// The width of the pictures, in their units.
  static let width = 1000.0
  /// The width of a letter.
  private static let letter = 6.2

  /// A part of a row; times are relative to the trace's beginning.
  package struct Run {
    let startNs: UInt64
    let lengthNs: UInt64
    let label: String
    /// A CSS class.
    let tone: String

    package init(startNs: UInt64, lengthNs: UInt64, label: String, tone: String) {
      (self.startNs, self.lengthNs, self.label, self.tone) = (startNs, lengthNs, label, tone)
    }
  }

  /// The length of the trace.
  package let lengthNs: UInt64
  private let rows: [(name: String, runs: [Run])]
  private let fromNs: UInt64

  /// `fromNs`: the beginning of the trace. `lengthNs`: its length.
  package init(_ rows: [(name: String, runs: [Run])], fromNs: UInt64, lengthNs: UInt64) {
    (self.rows, self.fromNs, self.lengthNs) = (rows, fromNs, lengthNs)
  }

  /// Returns the rows for a template. `page` is the target of their links; nil = no links.
  package func rows(on axis: Axis, page: String? = nil) -> [[String: Any]] {
    rows.map { name, runs in
      ["name": name, "bars": bars(runs, axis, page), "isEmpty": runs.isEmpty]
    }
  }

  private func bars(_ runs: [Run], _ axis: Axis, _ page: String?) -> [[String: Any]] {
    runs.enumerated().map { place, run in
      let left = axis.x(run.startNs)
      let right = max(axis.x(run.startNs &+ run.lengthNs), left + 2)
      let next = place + 1 < runs.count ? axis.x(runs[place + 1].startNs) : Self.width
      let label = Self.fitted(run.label, next - left - 4)
      return [
        "x": SVG.number(left), "width": SVG.number(right - left), "tone": run.tone,
        "words": "\(run.label), \(Units.duration(run.lengthNs)) from \(Units.moment(run.startNs))",
        "label": label.isEmpty ? [] : [["words": label]],
        "link": page.map {
          [["page": $0, "span": "\(fromNs &+ run.startNs)-\(fromNs &+ run.startNs &+ max(run.lengthNs, 1))"]]
        } ?? [],
      ]
    }
  }

  /// Returns the ticks of the common axis: their labels, all in one unit, and their positions.
  package static func ticks(_ axis: Axis) -> [[String: Any]] {
    let steps = [1, 2, 5].flatMap { step in (0..<19).map { step * pow10($0) } }.ordered()
    let step = steps.first { $0 >= axis.lengthNs / 10 } ?? UInt64.max
    let (unit, size) =
      [("s", pow10(9)), ("ms", pow10(6)), ("µs", pow10(3))].first { axis.lengthNs >= $0.1 } ?? ("ns", 1)
    let digits = max(0, Int(clamping: log10(Double(size) / Double(step)).rounded(.up)))
    return stride(from: 0, to: max(axis.lengthNs, 1), by: Int(clamping: step)).map {
      let words = String(format: "%.*f", digits, Double($0) / Double(size))
      return ["x": SVG.number(Axis(lengthNs: axis.lengthNs).x($0)), "words": "\(words) \(unit)"]
    }
  }

  private static func pow10(_ power: Int) -> UInt64 { (0..<power).reduce(1) { power, _ in power * 10 } }

  private static func fitted(_ text: String, _ room: Double) -> String {
    let letters = Int(max(room, 0) / letter)
    if text.count <= letters { return text }
    return letters > 3 ? "\(text.prefix(letters - 1))…" : ""
  }
}
