/// Lengths of time for people to read: three significant digits and a unit.
package enum Units {
  package static func duration(_ ns: UInt64) -> String {
    let value = Double(ns)
    switch value {
    case ..<999.5: return "\(ns) ns"
    case ..<999_500: return "\(significant(value / 1e3)) µs"
    case ..<999_500_000: return "\(significant(value / 1e6)) ms"
    default: return "\(significant(value / 1e9)) s"
    }
  }

  /// Returns three significant digits, or all digits of the integer part from 100 on.
  /// Other numbers than 0 to 10¹⁸ are written with an exponent or sign.
  package static func significant(_ value: Double) -> String {
    guard (0..<1e18).contains(value) else { return "\(value)" }
    let digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let rounded = (value * scale).rounded()
    let whole = UInt64(rounded) / UInt64(scale)
    guard digits > 0 else { return "\(whole)" }
    let fraction = String(UInt64(rounded) % UInt64(scale))
    return "\(whole)." + String(repeating: "0", count: digits - fraction.count) + fraction
  }

  /// Returns a hitch ratio in milliseconds per second.
  package static func rate(_ ratio: Double) -> String { "\(significant(ratio)) ms/s" }

  package static func percent(_ part: UInt64, of whole: UInt64) -> String {
    whole == 0 ? "–" : "\(significant(Double(part) / Double(whole) * 100)) %"
  }

  /// Returns seconds since the origin with microseconds, the form that `--from` accepts.
  package static func moment(_ ns: UInt64) -> String { seconds(ns) + " s" }

  /// Returns a moment in seconds, in the form that options accept.
  package static func seconds(_ ns: UInt64) -> String {
    let micro = String(ns / 1000 % 1_000_000)
    return "\(ns / 1_000_000_000)." + String(repeating: "0", count: 6 - micro.count) + micro
  }

  /// Returns the same as `moment`, but with milliseconds.
  package static func milliseconds(_ ns: UInt64) -> String {
    let milli = String(ns / 1_000_000 % 1000)
    return "\(ns / 1_000_000_000)." + String(repeating: "0", count: 3 - milli.count) + milli + " s"
  }

  /// Returns a number of bytes with a binary unit.
  package static func bytes(_ count: UInt64) -> String {
    let value = Double(count)
    switch value {
    case ..<1024: return "\(count) B"
    case ..<1_048_576: return "\(significant(value / 1024)) KiB"
    case ..<1_073_741_824: return "\(significant(value / 1_048_576)) MiB"
    default: return "\(significant(value / 1_073_741_824)) GiB"
    }
  }
}
