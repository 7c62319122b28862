import CRLTraceShims
import TraceFormat
import TraceRecorder

/// What earlier recordings of a name left unfinished. Their complete traces are `EarlierTraces`.
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
  /// way, or was never finished, and when the earlier traces could not be kept.
  public static func takeName(
    _ trace: String, codecs: @escaping CodecProvider
  ) throws(TraceFormatError) -> (sink: FileSink, earlier: EarlierTraces) {
    if let left = unrecovered(of: trace) {
      throw .nameTaken(
        what:
          "cannot record to \(trace): \(left) holds a recording that was never finished; `rltrace recover` it first, or remove it"
      )
    }
    let earlier = EarlierTraces(of: trace, codecs)
    let sink = try FileSink(recording: trace, makesWay: earlier.makesWay)
    if let process = livingProcess(of: trace) {
      throw .nameTaken(
        what: "cannot record to \(trace): process \(process) still records there; end it first")
    }
    try earlier.check()
    let spool = SpoolName.path(trace: trace)
    if Spool.isSpool(spool) { try FileSink.remove(spool, of: trace) }
    return (sink, earlier)
  }

  /// What has a name that recordings of `trace` give, in the order of names.
  static func left(of trace: String) -> [(path: String, file: RecordedFile)] {
    let (folder, names) = TraceFile.neighbours(of: trace)
    let own = TraceFile.name(of: trace)
    return names.sorted().compactMap { name in
      RecordedFile(name, own: own, stem: SpoolName.stem(own)).map { (folder + name, $0) }
    }
  }

  /// Removes what was never finished, and has no spool that could finish it. What is being written stays, and so does the
  /// spool of `trace`: that is the new recording's. Throws where something cannot be removed, which would pass for this
  /// recording's.
  public static func removeUnfinished(of trace: String) throws(TraceFormatError) {
    let found = left(of: trace).filter { $0.file.form != .trace }
    let inUse = Set(
      found.filter { $0.file.form == .spool && livingProcess(spool: $0.path) != nil }.map(\.file.base))
    for (path, file) in found {
      let isInUse = file.base.isEmpty ? file.form == .spool : inUse.contains(file.base)
      if !isInUse, file.isUnfinishedOfOurs(path) { try FileSink.remove(path, of: trace) }
    }
  }

  /// Names have at most so many bytes.
  static let longestName = 255

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
}
