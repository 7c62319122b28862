import ProgramRecorder
import SystemSupport
import TraceCompression
import TraceFormat
import TraceRecorder

/// Finds the spools for a word on the command line: a spool, the name of a recording or of one of its files, or a
/// folder.
enum SpoolSearch {
  /// A spool, and the trace that its recorder was writing; nil when the file does not have a spool's name.
  typealias Found = (spool: String, trace: String?)

  static func spools(of word: String) throws(Failure) -> [Found] {
    // If the word has a spool's name, or is a spool, it means that file.
    guard !word.isEmpty, !word.hasSuffix(SpoolName.spoolSuffix), !Spool.isSpool(word) else {
      return [(word, trace(of: word))]
    }
    let name = recording(word)
    let left = EarlierRecording.unfinished(of: name)
    guard left.spools.isEmpty else { return left.spools.map { ($0, trace(of: $0)) } }
    if isFolder(word) { return try spools(inFolder: word) }
    guard !word.hasSuffix("/") else {
      throw Failure(status: .noInput, message: "\(word): no such folder: there is nothing to recover")
    }
    let others = EarlierRecording.unfinished(of: name + SpoolName.traceSuffix)
    throw nothing(word, name, left.parts + others.parts)
  }

  /// Returns the recording of a file: `app.rltrace` for `app.rltrace.part`.
  static func recording(_ word: String) -> String {
    for suffix in [FileSink.partSuffix, SpoolName.begunSuffix] where word.hasSuffix(suffix) {
      return recording(String(word.dropLast(suffix.count)))
    }
    return SegmentFiles.trace(ofSegment: word) ?? word
  }

  /// Returns the trace that the recorder of a spool was writing. A trace may have a name without `.rltrace`; its
  /// spool never does.
  static func trace(of spool: String) -> String? {
    guard let trace = SpoolName.trace(spool: spool) else { return nil }
    let plain = String(trace.dropLast(SpoolName.traceSuffix.count))
    return !hasParts(trace) && hasParts(plain) ? plain : trace
  }

  private static func hasParts(_ trace: String) -> Bool {
    [FileSink.partSuffix, SpoolName.begunSuffix].contains { TraceFile.isTrace(trace + $0) }
      || !SegmentFiles.left(trace: trace).isEmpty
  }

  private static func spools(inFolder word: String) throws(Failure) -> [Found] {
    guard access(word, R_OK | X_OK) == 0 else {
      throw Failure(status: .noInput, message: "\(word): cannot open: \(String(cString: strerror(errno)))")
    }
    let (folder, names) = Files.neighbours(of: word.hasSuffix("/") ? word : word + "/")
    let found = names.filter { $0.hasSuffix(SpoolName.traceSuffix + SpoolName.spoolSuffix) }.ordered()
    guard !found.isEmpty else {
      throw Failure(
        status: .noInput,
        message: "\(word): this folder has no NAME\(SpoolName.traceSuffix)\(SpoolName.spoolSuffix): "
          + "there is nothing to recover")
    }
    return found.map { (folder + $0, trace(of: folder + $0)) }
  }

  /// Returns the trace of a recording that has no spool; nil if there is none.
  static func trace(named name: String) -> String? {
    [name, name + SpoolName.traceSuffix].first { TraceFile.isTrace($0) }
  }

  /// Returns why there is nothing to recover, and what to do instead.
  private static func nothing(_ word: String, _ name: String, _ parts: [String]) -> Failure {
    let spool = SpoolName.path(trace: name)
    if let part = parts.first {
      return Failure(
        status: .noInput,
        message: "\(word): \(part) exists, but \(spool) with the rest does not; "
          + "`rltrace analyze \(part)` reads what was written")
    }
    if let trace = trace(named: name) {
      let reader = try? TraceReader(source: FileSource(path: trace), codecs: allCodecs)
      return Failure(
        status: .noInput,
        message: reader?.isClean == true
          ? "\(word): \(trace) is a complete trace, and \(spool) does not exist: there is nothing to recover"
          : "\(word): \(trace) is cut short, but \(spool) with the rest does not exist; "
            + "`rltrace analyze \(trace)` reads what was written")
    }
    if access(word, F_OK) == 0 {
      return Failure(
        status: .badData,
        message: "\(word): not a spool, and \(spool) does not exist: there is nothing to recover")
    }
    return Failure(
      status: .noInput,
      message: "\(word): no such file, and \(spool) does not exist: there is nothing to recover")
  }
}
