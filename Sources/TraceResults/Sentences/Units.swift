/// Lengths of time for people: three significant digits and a unit.
public enum Units {
  public static func duration(_ ns: UInt64) -> String {
    let value = Double(ns)
    switch value {
    case ..<999.5: return "\(ns) ns"
    case ..<999_500: return "\(significant(value / 1e3)) µs"
    case ..<999_500_000: return "\(significant(value / 1e6)) ms"
    default: return "\(significant(value / 1e9)) s"
    }
  }

  /// Three significant digits, all digits above 100.
  public static func significant(_ value: Double) -> String {
    let digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let rounded = (value * scale).rounded()
    let whole = UInt64(rounded) / UInt64(scale)
    guard digits > 0 else { return "\(whole)" }
    let fraction = String(UInt64(rounded) % UInt64(scale))
    return "\(whole)." + String(repeating: "0", count: digits - fraction.count) + fraction
  }

  public static func percent(_ part: UInt64, of whole: UInt64) -> String {
    whole == 0 ? "–" : "\(significant(Double(part) / Double(whole) * 100)) %"
  }

  /// Seconds since the origin with microseconds, the form that `--from` takes.
  public static func moment(_ ns: UInt64) -> String {
    let micro = String(ns / 1000 % 1_000_000)
    return "\(ns / 1_000_000_000)." + String(repeating: "0", count: 6 - micro.count) + micro + " s"
  }

  /// As `moment`, with milliseconds.
  package static func milliseconds(_ ns: UInt64) -> String {
    let milli = String(ns / 1_000_000 % 1000)
    return "\(ns / 1_000_000_000)." + String(repeating: "0", count: 3 - milli.count) + milli + " s"
  }

  /// Bytes with a binary unit.
  public static func bytes(_ count: UInt64) -> String {
    let value = Double(count)
    switch value {
    case ..<1024: return "\(count) B"
    case ..<1_048_576: return "\(significant(value / 1024)) KiB"
    case ..<1_073_741_824: return "\(significant(value / 1_048_576)) MiB"
    default: return "\(significant(value / 1_073_741_824)) GiB"
    }
  }
}
