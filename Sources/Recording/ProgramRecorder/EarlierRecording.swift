import CRLTraceShims
import SystemSupport
import TraceFormat
import TraceRecorder

/// The unfinished files that earlier recordings with the same name left behind. For complete traces see
/// `EarlierTraces`.
///
/// A file counts as theirs only if both its name and its content say so. All other files stay.
package enum EarlierRecording {
  /// Returns the process that still records into the spool of `trace`, or drains it.
  private static func livingProcess(of trace: String) -> Int32? {
    livingProcess(spool: SpoolName.path(trace: trace))
  }

  private static func livingProcess(spool path: String) -> Int32? {
    guard Spool.isSpool(path), let spool = try? Spool(opening: path, privately: true) else { return nil }
    return SpoolRecovery.livingProcess(of: spool)
  }

  /// Returns a spool of an earlier recording that was never finished: that of its first process or of a child. It holds
  /// events that are in no trace. A spool of a program that never ran a loop holds none and does not count.
  private static func unrecovered(of trace: String) -> String? {
    left(of: trace).first { path, file in
      guard file.form == .spool, Spool.isSpool(path) else { return false }
      // A truncated or damaged spool counts as well. The user can remove it.
      guard let spool = try? Spool(opening: path, privately: true) else { return true }
      return spool.hasRun && SpoolRecovery.livingProcess(of: spool) == nil
        && SpoolName.trace(spool: path).map { !SpoolRecovery.isComplete(spool, trace: $0) } ?? true
    }?.path
  }

  /// Returns the existing spools of other processes, from any recording with this name.
  static func childSpools(of trace: String) -> [String] {
    left(of: trace).filter { $0.file.form == .spool && $0.file.process != nil }.map(\.path)
  }

  /// Returns the remains of unfinished recordings of `trace`, sorted by name: spools, including those of its other
  /// processes, and unfinished traces.
  package static func unfinished(of trace: String) -> (spools: [String], parts: [String]) {
    let prefix = trace.contains("/") ? "" : "./"
    let found = left(of: trace).map { (path: String($0.path.dropFirst(prefix.count)), form: $0.file.form) }
    let part = trace + FileSink.partSuffix
    let parts = (TraceFile.isTrace(part) ? [part] : []) + found.filter { $0.form == .unfinished }.map(\.path)
    return (found.filter { $0.form == .spool }.map(\.path), parts)
  }

  /// Reserves the name for a new recording, so that later recordings cannot use it. Throws if a recording of that name
  /// is running or was never finished, or if the earlier traces could not be kept.
  package static func takeName(
    _ trace: String, codecs: @escaping CodecProvider
  ) throws(TraceFormatError) -> (sink: FileSink, earlier: EarlierTraces) {
    if let left = unrecovered(of: trace) {
      throw .nameTaken(
        what:
          "cannot record to \(trace): \(left) holds an unfinished recording; `rltrace recover` it first, or remove it"
      )
    }
    let earlier = EarlierTraces(of: trace, codecs)
    let sink = try FileSink(recording: trace, makeRoom: earlier.makeRoom)
    if let process = livingProcess(of: trace) {
      throw .nameTaken(
        what: "cannot record to \(trace): process \(process) is still recording there; end it first")
    }
    try earlier.check()
    let spool = SpoolName.path(trace: trace)
    if Spool.isSpool(spool) { try FileSink.remove(spool, of: trace) }
    return (sink, earlier)
  }

  /// Returns the files whose names recordings of `trace` produce, sorted by name.
  static func left(of trace: String) -> [(path: String, file: RecordedFile)] {
    let (folder, names) = Files.neighbours(of: trace)
    let own = Files.name(of: trace)
    return names.ordered().compactMap { name in
      RecordedFile(name, own: own, stem: SpoolName.stem(own)).map { (folder + name, $0) }
    }
  }

  /// Removes unfinished files that no spool can complete. Files that are being written stay, and so does
  /// the spool of `trace`, which belongs to the new recording. Throws if a file cannot be removed, because it would
  /// be mistaken for a file of this recording.
  package static func removeUnfinished(of trace: String) throws(TraceFormatError) {
    let found = left(of: trace).filter { $0.file.form != .trace }
    let inUse = Set(
      found.filter { $0.file.form == .spool && livingProcess(spool: $0.path) != nil }.map(\.file.base))
    for (path, file) in found {
      let isInUse = file.base.isEmpty ? file.form == .spool : inUse.contains(file.base)
      if !isInUse, file.isOwnUnfinished(path) { try FileSink.remove(path, of: trace) }
    }
  }

  /// The maximum length of a file name in bytes.
  static let longestName = 255

  /// Checks, before anything is recorded, whether a recording of the newest part can create its segments. Throws if
  /// their names are too long, or taken by a file that is not a trace.
  static func checkSegments(of trace: String, recordsChildren: Bool) throws(TraceFormatError) {
    let longest = recordsChildren ? SpoolName.trace(trace, process: .max, number: 99) : trace
    let part = SegmentFiles.path(trace: longest, number: SegmentFiles.greatest) + FileSink.partSuffix
    let excess = (part.split(separator: "/").last?.utf8.count ?? 0) - longestName
    guard excess <= 0 else {
      throw .nameTaken(
        what: "cannot record to \(trace): the names of its segments would be \(excess) bytes too long")
    }
    for path in SegmentFiles.left(trace: trace) {
      guard let obstacle = FileSink.obstacle(path) else { continue }
      throw .nameTaken(what: "cannot record to \(trace): a segment needs the name \(path), which \(obstacle)")
    }
  }

  /// Removes empty files with the name of a segment. A recorder that was killed just after it took the name left them.
  static func removeEmptySegments(of trace: String) throws(TraceFormatError) {
    for path in SegmentFiles.left(trace: trace) where Files.isEmpty(path) {
      try FileSink.remove(path, of: trace)
    }
  }
}
