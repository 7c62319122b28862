import SystemSupport
import TraceFormat
import TraceReplay

/// The form of the trace's names in results. A trace stores a name once, but results repeat it in each row.
///
/// A long name is cut at a character boundary, and its length and checksum replace the rest. So names that only begin
/// alike stay different, and a name is the same in each trace. A cut name is not changed again.
package enum ShownName {
  /// Limits names while the analyzed trace is read. Image paths stay whole because the files are opened; no path is
  /// longer.
  package static let whileReading = LongNames(over: 4096, cut: of)

  static func isLong(_ name: String) -> Bool { name.utf8.count > AnalysisLimits.nameBytes }

  package static func of(_ name: String) -> String {
    guard isLong(name) else { return name }
    let rest = "… (\(name.utf8.count) bytes, \(String(XXHash64.hash(name), radix: 16)))"
    return name.cut(toBytes: AnalysisLimits.nameBytes - rest.utf8.count) + rest
  }
}
