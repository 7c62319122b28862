import TraceFormat
import TraceReplay

/// A name of the trace's as results have it. A trace stores a name once, results repeat it in each row.
///
/// A long one is cut at a character, and its length and checksum stand for the rest: names that only begin alike stay
/// different, and a name is the same in each trace. What is cut already stays as it is.
public enum ShownName {
  /// For the reader of a trace that is analyzed. The path of an image stays whole, because it is opened: none is longer.
  public static let whileReading = LongNames(over: 4096, cut: of)

  static func isLong(_ name: String) -> Bool { name.utf8.count > AnalysisLimits.nameBytes }

  public static func of(_ name: String) -> String {
    guard isLong(name) else { return name }
    let rest = "… (\(name.utf8.count) bytes, \(String(XXHash64.hash(name), radix: 16)))"
    return name.cut(toBytes: AnalysisLimits.nameBytes - rest.utf8.count) + rest
  }
}
