import SystemSupport
import TraceFormat
import TraceRecorder

/// The name under which a later recording keeps an earlier trace of the same name: `NAME.old1.rltrace`, then
/// `NAME.old2.rltrace`. The greatest number is the latest.
///
/// A number alone, as in `NAME.1.rltrace`, is the trace of another process of a recording. In a container, process 1
/// or 7 is common.
package struct KeptName: Equatable, Sendable {
  private static let mark = ".old"

  /// `NAME`, with its folder.
  package let stem: String
  package let number: Int

  package init(stem: String, number: Int) {
    self.stem = stem
    self.number = number
  }

  /// Parses the name of a trace. Returns nil if no recording kept it.
  package init?(_ trace: String) {
    guard trace.hasSuffix(SpoolName.traceSuffix) else { return nil }
    let name = SpoolName.stem(trace)
    let digits = name.reversed().prefix { ("0"..."9").contains($0) }.count
    let stem = name.dropLast(digits)
    guard digits > 0, stem.hasSuffix(KeptName.mark), let number = Int(name.suffix(digits)) else { return nil }
    self.init(stem: String(stem.dropLast(KeptName.mark.count)), number: number)
  }

  /// Returns the path of the kept trace. `base`: the part for another process or a snapshot, such as `.77` or
  /// `.snapshot1`.
  package func path(base: Substring = "") -> String {
    "\(stem)\(KeptName.mark)\(number)\(base)\(SpoolName.traceSuffix)"
  }

  /// Returns the greatest number with which files of the recording `trace` were kept; 0 = none were.
  static func greatestNumber(of trace: String) -> Int {
    let start = SpoolName.stem(Files.name(of: trace))
    return Files.neighbours(of: trace).names.reduce(0) { greatest, name in
      guard name.hasPrefix(start) else { return greatest }
      var rest = NameScanner(name.dropFirst(start.count))
      guard let number = rest.number(behind: mark), rest.text.hasPrefix(".") else { return greatest }
      return max(greatest, Int(number) ?? 0)
    }
  }

  /// Returns the trace of the recording before the one in the file `trace`, which may be a kept trace itself. Returns
  /// nil if there is none.
  package static func before(_ trace: String) -> String? { allBefore(trace).first }

  /// Returns the traces of the recordings before the one in the file `trace`, the latest first.
  package static func allBefore(_ trace: String) -> [String] {
    // A kept trace that was recorded under that very name has predecessors of its own.
    let own = kept(of: SpoolName.stem(trace), below: .max)
    guard own.isEmpty, let name = KeptName(trace) else { return own }
    return kept(of: name.stem, below: name.number)
  }

  private static func kept(of stem: String, below limit: Int) -> [String] {
    let (folder, names) = Files.neighbours(of: stem)
    let prefix = stem.contains("/") ? folder : ""
    let kept = names.compactMap { KeptName(prefix + $0) }
    let earlier = kept.filter { $0.stem == stem && $0.number < limit && TraceFile.isTrace($0.path()) }
    return earlier.ordered { $0.number > $1.number }.map { $0.path() }
  }
}
