/// Moments since a trace's origin, in words.
enum Moments {
  static func text(ns: UInt64) -> String {
    let fraction = String(ns % 1_000_000_000)
    return "\(ns / 1_000_000_000)." + String(repeating: "0", count: 9 - fraction.count) + fraction + " s"
  }
}
