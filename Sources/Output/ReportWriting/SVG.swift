/// Formats numbers for the paths and positions of an SVG picture.
package enum SVG {
  /// Returns the number with at most one decimal place.
  package static func number(_ value: Double) -> String {
    let tenths = Int(clamping: (value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
  }
}
