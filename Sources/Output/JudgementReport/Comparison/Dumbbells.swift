import Foundation
import ReportWriting
import TraceAnalysis
import TraceComparison

/// Compared distributions on one time axis. Each side has a dumbbell from the median to p99, the base above the new
/// trace.
struct Dumbbells {
  private static let width = 1000.0

  private let parts: [ComparisonTables.Part<ComparedDistribution>]
  private let axis: LogAxis

  /// Returns nil if the sides have no distribution in common.
  init?(_ parts: [ComparisonTables.Part<ComparedDistribution>]) {
    let both = parts.filter { $0.part.base.count > 0 && $0.part.new.count > 0 }
    guard !both.isEmpty else { return nil }
    self.parts = both
    let ends = both.flatMap { [$0.part.base.p50, $0.part.base.p99, $0.part.new.p50, $0.part.new.p99] }
    axis = LogAxis(ends.min() ?? 0, ends.max() ?? 0, left: 30, right: Self.width - 30)
  }

  /// The values for the template.
  var context: [String: Any] {
    [
      "ticks": axis.ticks.map { ["x": SVG.number($0.x), "words": $0.words] },
      "rows": parts.map { part in
        let compared = part.part
        return [
          "label": part.row.subject.label, "measure": compared.measure.title,
          "tone": compared.difference == .relevant ? compared.isWorse ? "worse" : "better" : "quiet",
          "words":
            "p50 \(Units.duration(compared.base.p50)) to \(Units.duration(compared.new.p50)), p99 \(Units.duration(compared.base.p99)) to \(Units.duration(compared.new.p99))",
          "grid": axis.ticks.map { ["x": SVG.number($0.x)] },
          "bells": [bell("base", compared.base, 7), bell("new", compared.new, 17)],
        ] as [String: Any]
      },
    ]
  }

  private func bell(_ side: String, _ values: Distribution, _ y: Int) -> [String: Any] {
    [
      "side": side, "from": SVG.number(axis.x(values.p50)),
      "to": SVG.number(axis.x(values.p99)), "y": "\(y)",
    ]
  }
}
