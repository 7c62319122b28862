import SystemSupport
import TraceFormat
import TraceRecorder

/// The complete traces that earlier recordings of a name left: the trace itself, those of other processes, and
/// snapshots.
///
/// They stay as they are until a trace of the new recording is complete. Then all of them are renamed before the new
/// trace takes its name; see `KeptName`. A recording without a result renames nothing, and no trace is lost at any
/// moment.
///
/// Thread-safe: traces are completed on several threads.
package final class EarlierTraces: Sendable {
  /// Returns whether a trace belongs to an earlier recording. `isOwnName`: it has the name of the new recording.
  package typealias IsEarlier = @Sendable (_ trace: TraceReader, _ isOwnName: Bool) -> Bool

  private struct State {
    /// The number in the names of the kept traces; nil until one is kept.
    var number: Int?
    var isDone = false
    var kept: [String] = []
  }

  private let trace: String
  private let codecs: CodecProvider
  private let isEarlier: IsEarlier?
  private let state = Locked(State())

  /// Creates the set of earlier traces. `isEarlier` nil = all traces that exist when the new recording begins.
  package init(of trace: String, _ codecs: @escaping CodecProvider, isEarlier: IsEarlier? = nil) {
    self.trace = trace
    self.codecs = codecs
    self.isEarlier = isEarlier
  }

  /// The names of the kept traces, the trace itself first. Empty until one was kept.
  package var kept: [String] { state.withLock { $0.kept } }

  /// Whether the name is currently that of an earlier recording's trace.
  package var hasTrace: Bool { isEarlierTrace(trace) }

  private typealias Found = (path: String, file: RecordedFile)

  /// Returns the earlier traces, the trace itself first.
  private func found() -> [Found] {
    let prefix = trace.contains("/") ? "" : "./"
    let left = EarlierRecording.left(of: trace).filter { $0.file.form == .trace }
    let traces: [Found] = left.map { (String($0.path.dropFirst(prefix.count)), $0.file) }
    let earlier = traces.filter { isOfEarlier($0.path, $0.file) }
    return earlier.filter { $0.file.base.isEmpty } + earlier.filter { !$0.file.base.isEmpty }
  }

  private func isOfEarlier(_ path: String, _ file: RecordedFile) -> Bool {
    if file.base.isEmpty { return isEarlierTrace(path) }
    return reader(path).map { file.isConfirmed(by: $0) && isEarlier?($0, false) ?? true } ?? false
  }

  private func reader(_ path: String) -> TraceReader? {
    TraceFile.isTrace(path) ? try? TraceReader(source: FileSource(path: path), codecs: codecs) : nil
  }

  /// Returns whether a trace with a name that the new recording wants is an earlier one. A trace that cannot be read
  /// counts as one.
  private func isEarlierTrace(_ path: String) -> Bool {
    guard TraceFile.isTrace(path), let isEarlier else { return TraceFile.isTrace(path) }
    return reader(path).map { isEarlier($0, true) } ?? true
  }

  private func name(_ number: Int) -> KeptName { KeptName(stem: SpoolName.stem(trace), number: number) }

  /// Checks, before anything is recorded, whether the traces can be renamed. Throws if one of them cannot.
  func check() throws(TraceFormatError) {
    let found = found()
    let empty = Files.isEmpty(trace) ? [trace] : []
    for path in found.map(\.path) + empty {
      guard let obstacle = FileSink.obstacleToRenaming(path) else { continue }
      throw .nameTaken(
        what: "cannot record to \(trace): \(path == trace ? "it" : path) cannot be renamed: \(obstacle)")
    }
    let number = KeptName.greatestNumber(of: trace) + 1
    for (path, file) in found {
      let new = name(number).path(base: file.base)
      guard let last = new.split(separator: "/").last, last.utf8.count > EarlierRecording.longestName else {
        continue
      }
      throw .nameTaken(
        what:
          "cannot record to \(trace): \(path == trace ? "it" : path) would be kept under a name that is too long"
      )
    }
  }

  /// Keeps all earlier traces, once, for the first new trace that is complete. Also keeps any other trace that has
  /// the name of the completed one. Throws if that is not possible; files that were renamed before keep their new
  /// names.
  package var makeRoom: FileSink.MakeRoom {
    { [self] name throws(TraceFormatError) in
      let result: Result<Void, TraceFormatError> = state.withLock { state in
        do throws(TraceFormatError) {
          if !state.isDone { for (path, file) in found() { try keep(path, base: file.base, &state) } }
          state.isDone = true
          // `found` leaves out traces that do not confirm the number in their names. Such a trace is kept as well.
          let stem = SpoolName.stem(trace)
          if isEarlierTrace(name), name.hasPrefix(stem) {
            try keep(name, base: SpoolName.stem(name).dropFirst(stem.count), &state)
          }
        } catch {
          return .failure(error)
        }
        return .success(())
      }
      try result.get()
    }
  }

  private func keep(_ path: String, base: Substring, _ state: inout State) throws(TraceFormatError) {
    let number = state.number ?? KeptName.greatestNumber(of: trace) + 1
    state.number = number
    let new = name(number).path(base: base)
    guard FileIdentity(path: new) == nil else {
      throw .nameTaken(
        what: "cannot record to \(trace): \(path) cannot be kept as \(new), which already exists")
    }
    guard unsafe rename(path, new) == 0 else {
      let reason = unsafe String(cString: strerror(errno))
      throw .nameTaken(what: "cannot record to \(trace): \(path) cannot be renamed to \(new): \(reason)")
    }
    state.kept.append(new)
  }
}
