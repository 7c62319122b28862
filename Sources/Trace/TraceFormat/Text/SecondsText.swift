/// A moment in seconds with nine decimals, as "1.234567890 s".
package enum SecondsText {
  package static func of(ns: UInt64) -> String {
    let fraction = String(ns % 1_000_000_000)
    return "\(ns / 1_000_000_000).\(String(repeating: "0", count: 9 - fraction.count))\(fraction) s"
  }
}
