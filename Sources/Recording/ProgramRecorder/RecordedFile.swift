import TraceFormat
import TraceRecorder

/// The parts of the name of a file that a recording created.
struct RecordedFile {
  enum Form { case trace, unfinished, spool }
  let form: Form
  /// The suffix of the process or snapshot that the file belongs to, such as `.77.snapshot1`; empty for the trace
  /// itself.
  let base: Substring
  let process: Substring?
  let isSnapshot: Bool

  init?(_ name: String, own: String, stem: String) {
    if name == own {
      (form, base, process, isSnapshot) = (.trace, "", nil, false)
      return
    }
    // The recording that is starting writes to this name and holds its lock.
    guard name != own + FileSink.partSuffix else { return nil }
    if name.hasPrefix(own), RecordedFile.isUnfinished(name.dropFirst(own.count), hasKind: true) {
      (form, base, process, isSnapshot) = (.unfinished, "", nil, false)
      return
    }
    guard name.hasPrefix(stem) else { return nil }
    var rest = NameScanner(name.dropFirst(stem.count))
    let start = rest.text
    // `.PID`, `.PID-2`, `.snapshot1`, or both.
    process = rest.number(behind: ".")
    if process != nil { _ = rest.number(behind: "-") }
    isSnapshot = rest.number(behind: ".snapshot") != nil
    base = start[..<rest.text.startIndex]
    guard rest.skip(SpoolName.traceSuffix) else { return nil }
    if rest.text.isEmpty, !base.isEmpty {
      form = .trace
    } else if rest.text == SpoolName.spoolSuffix {
      form = .spool
    } else if !rest.text.isEmpty, !base.isEmpty, RecordedFile.isUnfinished(rest.text, hasKind: false) {
      form = .unfinished
    } else {
      return nil
    }
  }

  /// Returns whether the content of a spool or of an unfinished trace shows that a recorder created it.
  func isOwnUnfinished(_ path: String) -> Bool {
    form == .spool ? Spool.isSpool(path) || Spool.isBlank(path) : TraceFile.isTrace(path)
  }

  /// Returns whether a complete trace confirms what its name says. A number in a name may mean anything.
  func isConfirmed(by trace: TraceReader) -> Bool {
    (process == nil || trace.info.contains { $0.key == InfoEntry.process && $0.value == process! })
      && (!isSnapshot || trace.info.contains { $0.key == InfoEntry.snapshot })
  }

  /// Returns whether the suffix is `.begun` or `.segment1`, where a segment may end in `.part`. Without `hasKind`,
  /// `.part` alone and an empty suffix match as well.
  private static func isUnfinished(_ suffix: Substring, hasKind: Bool) -> Bool {
    var rest = NameScanner(suffix)
    let isSegment = rest.number(behind: ".segment") != nil
    let isBegun = !isSegment && rest.skip(SpoolName.begunSuffix)
    guard isSegment || isBegun || !hasKind else { return false }
    if isSegment || !hasKind { _ = rest.skip(FileSink.partSuffix) }
    return rest.text.isEmpty
  }
}
