import Foundation

/// A logarithmic axis of time.
struct LogAxis {
  private let low: Double
  private let high: Double
  private let left: Double
  private let right: Double
  private let hasZero: Bool

  /// Creates an axis from `least` to `greatest`, nanoseconds.
  init(_ least: UInt64, _ greatest: UInt64, left: Double, right: Double) {
    low = log10(Double(max(least, 1)))
    high = max(log10(Double(max(greatest, 1))), low + 0.1)
    hasZero = least == 0
    self.left = left
    self.right = right
  }

  func x(_ ns: UInt64) -> Double {
    let share = (log10(Double(max(ns, 1))) - low) / (high - low)
    return left + (right - left) * min(max(share, 0), 1)
  }

  /// The ticks: powers of ten, and 2 and 5 times these if the axis has few of them.
  var ticks: [(x: Double, words: String)] {
    let steps: [UInt64] = high - low < 2 ? [1, 2, 5] : [1]
    var power: UInt64 = 1
    var found: [(x: Double, words: String)] = []
    for exponent in 0..<19 {
      for step in steps where power <= UInt64.max / 5 {
        let at = log10(Double(step * power))
        guard at >= low - 1e-9, at <= high + 1e-9 else { continue }
        found.append(
          (x(step * power), (exponent == 0 && step == 1 && hasZero ? "≤ " : "") + Self.words(step, exponent)))
      }
      power &*= 10
    }
    return found
  }

  /// Returns a label such as "1 ms", "20 ms" or "500 ms".
  private static func words(_ step: UInt64, _ exponent: Int) -> String {
    exponent >= 9
      ? "\(step)" + String(repeating: "0", count: exponent - 9) + " s"
      : "\(step)" + String(repeating: "0", count: exponent % 3) + " " + ["ns", "µs", "ms"][exponent / 3]
  }
}
