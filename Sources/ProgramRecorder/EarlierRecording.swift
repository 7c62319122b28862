import CRLTraceShims
import TraceFormat
import TraceRecorder

/// What earlier recordings of a name left: its trace, those of other processes, snapshots, and what was never finished.
///
/// A file is theirs when its name and its content say so. Anything else stays.
public enum EarlierRecording {
  /// The process that still records into the spool of `trace`, or drains it.
  private static func livingProcess(of trace: String) -> Int32? {
    livingProcess(spool: SpoolName.path(trace: trace))
  }

  private static func livingProcess(spool path: String) -> Int32? {
    guard Spool.isSpool(path), let spool = try? Spool(opening: path, privately: true) else { return nil }
    return SpoolRecovery.livingProcess(of: spool)
  }

  /// A spool of an earlier recording that nobody finished, its process or a child's: it holds events that no trace has.
  /// One of programs that never ran a loop holds none.
  private static func unrecovered(of trace: String) -> String? {
    left(of: trace).first { path, file in
      guard file.form == .spool, Spool.isSpool(path) else { return false }
      // One that is cut short, or damaged: whoever knows better may remove it.
      guard let spool = try? Spool(opening: path, privately: true) else { return true }
      return spool.hasRun && SpoolRecovery.livingProcess(of: spool) == nil
        && SpoolName.trace(spool: path).map { !SpoolRecovery.isComplete(spool, trace: $0) } ?? true
    }?.path
  }

  /// Spools of other processes that are there, whichever recording of the name they belong to.
  static func childSpools(of trace: String) -> [String] {
    left(of: trace).filter { $0.file.form == .spool && $0.file.process != nil }.map(\.path)
  }

  /// The remains of unfinished recordings of `trace`, in the order of names: spools, including those of its other
  /// processes, and traces that were begun.
  public static func unfinished(of trace: String) -> (spools: [String], parts: [String]) {
    let prefix = trace.contains("/") ? "" : "./"
    let found = left(of: trace).map { (path: String($0.path.dropFirst(prefix.count)), form: $0.file.form) }
    let part = trace + FileSink.partSuffix
    let parts = (TraceFile.isTrace(part) ? [part] : []) + found.filter { $0.form == .unfinished }.map(\.path)
    return (found.filter { $0.form == .spool }.map(\.path), parts)
  }

  /// Takes the name for a new recording; whoever comes now finds it taken. Throws when a recording of that name is under
  /// way, or was never finished.
  public static func takeName(_ trace: String) throws(TraceFormatError) -> FileSink {
    if let left = unrecovered(of: trace) {
      throw .nameTaken(
        what:
          "cannot record to \(trace): \(left) holds a recording that was never finished; `rltrace recover` it first, or remove it"
      )
    }
    let sink = try FileSink(recording: trace)
    if let process = livingProcess(of: trace) {
      throw .nameTaken(
        what: "cannot record to \(trace): process \(process) still records there; end it first")
    }
    let spool = SpoolName.path(trace: trace)
    if Spool.isSpool(spool) { try FileSink.remove(spool, of: trace) }
    return sink
  }

  /// What has a name that recordings of `trace` give, in the order of names.
  private static func left(of trace: String) -> [(path: String, file: File)] {
    let (folder, names) = TraceFile.neighbours(of: trace)
    let own = trace.split(separator: "/").last.map(String.init) ?? trace
    let stem = own.hasSuffix(SpoolName.traceSuffix) ? String(own.dropLast(SpoolName.traceSuffix.count)) : own
    return names.sorted().compactMap { name in
      File(name, own: own, stem: stem).map { (folder + name, $0) }
    }
  }

  /// Removes all of it, the trace itself included, but not what is being written, nor the spool of `trace`: that is the
  /// new recording's. Throws where something cannot be removed, which would pass for this recording's.
  public static func remove(of trace: String, codecs: @escaping CodecProvider) throws(TraceFormatError) {
    let found = left(of: trace)
    // When this one cannot go, nothing is to.
    if TraceFile.isTrace(trace) || TraceFile.isEmpty(trace) { try FileSink.remove(trace, of: trace) }
    let inUse = Set(
      found.filter { $0.file.form == .spool && livingProcess(spool: $0.path) != nil }.map(\.file.base))
    for (path, file) in found {
      let isInUse = file.base.isEmpty ? file.form == .spool : inUse.contains(file.base)
      if isInUse { continue }
      if file.isOurs(path, codecs) { try FileSink.remove(path, of: trace) }
    }
  }

  /// Names have at most so many bytes.
  private static let longestName = 255

  /// Whether a recording that keeps the newest part can make its segments, as far as that can be told before. Throws when
  /// their names are too long, or taken by what is no trace.
  static func checkSegments(of trace: String, recordsChildren: Bool) throws(TraceFormatError) {
    let longest = recordsChildren ? SpoolName.trace(trace, process: .max, number: 99) : trace
    let part = SegmentFiles.path(trace: longest, number: SegmentFiles.greatest) + FileSink.partSuffix
    let excess = (part.split(separator: "/").last?.utf8.count ?? 0) - longestName
    guard excess <= 0 else {
      throw .nameTaken(
        what: "cannot record to \(trace): the names of its segments would have \(excess) bytes too many")
    }
    for path in SegmentFiles.left(trace: trace) {
      guard let obstacle = FileSink.obstacle(path) else { continue }
      throw .nameTaken(what: "cannot record to \(trace): a segment of it would be \(path), which \(obstacle)")
    }
  }

  /// Removes what has the name of a segment, and is no trace yet: an earlier recorder was killed when it had taken the name.
  static func removeEmptySegments(of trace: String) throws(TraceFormatError) {
    for path in SegmentFiles.left(trace: trace) where TraceFile.isEmpty(path) {
      try FileSink.remove(path, of: trace)
    }
  }

  /// `.begun` or `.segment1`, and `.part`. Without `hasKind`, `.part` alone will do.
  private static func isUnfinished(_ suffix: Substring, hasKind: Bool) -> Bool {
    var rest = NameScanner(suffix)
    let isSegment = rest.number(behind: ".segment") != nil
    let isBegun = !isSegment && rest.skip(SpoolName.begunSuffix)
    guard isSegment || isBegun || !hasKind else { return false }
    if isSegment || !hasKind { _ = rest.skip(FileSink.partSuffix) }
    return rest.text.isEmpty
  }

  /// What the name of a file says.
  private struct File {
    enum Form { case trace, unfinished, spool }
    let form: Form
    /// The recording's process or snapshot that it belongs to.
    let base: Substring
    let process: Substring?
    let isSnapshot: Bool

    init?(_ name: String, own: String, stem: String) {
      if name == own {
        (form, base, process, isSnapshot) = (.trace, "", nil, false)
        return
      }
      // What this recording writes has this name; it holds its lock.
      guard name != own + FileSink.partSuffix else { return nil }
      if name.hasPrefix(own), EarlierRecording.isUnfinished(name.dropFirst(own.count), hasKind: true) {
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
      } else if !rest.text.isEmpty, !base.isEmpty, EarlierRecording.isUnfinished(rest.text, hasKind: false) {
        form = .unfinished
      } else {
        return nil
      }
    }

    func isOurs(_ path: String, _ codecs: @escaping CodecProvider) -> Bool {
      switch form {
      case .spool: return Spool.isSpool(path) || Spool.isBlank(path)
      case .unfinished: return TraceFile.isTrace(path)
      case .trace where process == nil && !isSnapshot: return TraceFile.isTrace(path)
      case .trace:
        // A number in a name may mean anything: the trace itself must say that it is this process's, or a snapshot.
        guard TraceFile.isTrace(path),
          let reader = try? TraceReader(source: FileSource(path: path), codecs: codecs)
        else { return false }
        let facts = reader.info
        return (process == nil || facts.contains { $0.key == InfoEntry.process && $0.value == process! })
          && (!isSnapshot || facts.contains { $0.key == InfoEntry.snapshot })
      }
    }
  }
}

/// Takes a name apart from its beginning.
private struct NameScanner {
  private(set) var text: Substring

  init(_ text: Substring) { self.text = text }

  mutating func skip(_ prefix: String) -> Bool {
    guard text.hasPrefix(prefix) else { return false }
    text = text.dropFirst(prefix.count)
    return true
  }

  /// The digits behind `prefix`; nil, and nothing is taken, where there are none.
  mutating func number(behind prefix: String) -> Substring? {
    guard text.hasPrefix(prefix) else { return nil }
    let digits = text.dropFirst(prefix.count).prefix { ("0"..."9").contains($0) }
    guard !digits.isEmpty else { return nil }
    text = text[digits.endIndex...]
    return digits
  }
}
