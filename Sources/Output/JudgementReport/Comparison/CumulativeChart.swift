import Foundation
import ReportWriting
import TraceAnalysis

/// Cumulative curves of two distributions on one logarithmic time axis, as SVG paths that contain only numbers.
struct CumulativeChart {
  private static let left = 40.0
  private static let right = 650.0
  private static let top = 8.0
  private static let bottom = 178.0

  struct Rule {
    let path: String
    let x: String
    let y: String
    let anchor: String
    let text: String
  }

  let basePath: String
  let newPath: String
  private(set) var rules: [Rule]

  init(_ base: Distribution, _ new: Distribution) {
    let axis = LogAxis(
      min(base.min, new.min), max(base.max, new.max), left: Self.left, right: Self.right)
    func x(_ ns: UInt64) -> Double { axis.x(ns) }
    func y(_ share: Double) -> Double { Self.bottom - (Self.bottom - Self.top) * share }
    basePath = Self.path(base, x, y)
    newPath = Self.path(new, x, y)

    rules = [0, 0.5, 0.9, 1].map { share in
      Rule(
        path: "M\(SVG.number(Self.left)) \(SVG.number(y(share)))H\(SVG.number(Self.right))", x: "34",
        y: SVG.number(y(share) + 4), anchor: "end", text: "\(Int(share * 100)) %")
    }
    rules += axis.ticks.map { tick in
      let at = SVG.number(tick.x)
      return Rule(
        path: "M\(at) \(SVG.number(Self.top))V\(SVG.number(Self.bottom))", x: at, y: "194",
        anchor: "middle",
        text: tick.words)
    }
  }

  /// Returns a path with a step at each bucket. Steps lower than a tenth of a pixel are combined.
  private static func path(
    _ distribution: Distribution, _ x: (UInt64) -> Double, _ y: (Double) -> Double
  ) -> String {
    guard distribution.count > 0 else { return "" }
    var path = "M\(SVG.number(left)) \(SVG.number(y(0)))"
    var seen: UInt64 = 0
    var last = ""
    var drawn = y(0)
    for bucket in distribution.buckets {
      seen &+= bucket.count
      let at = SVG.number(x(bucket.middleNs))
      let height = y(Double(seen) / Double(distribution.count))
      if at != last { path += "H\(at)" }
      if abs(height - drawn) >= 0.1 || seen == distribution.count {
        path += "V\(SVG.number(height))"
        drawn = height
      }
      last = at
    }
    return path + "H\(SVG.number(right))"
  }
}
