import TraceFormat
import TraceRecorder

/// The complete traces that earlier recordings of a name left: the trace itself, those of other processes, snapshots.
///
/// They stay as they are until a trace of the new recording is complete. Then all of them are renamed, before that one takes
/// its name: see `KeptName`. A recording that yields nothing renames nothing, and at no moment is a trace lost.
///
/// Thread-safe: traces are completed on several threads.
public final class EarlierTraces: Sendable {
  /// Whether a trace is of an earlier recording; `isOwnName`: it has the name of the new one.
  public typealias IsEarlier = @Sendable (_ trace: TraceReader, _ isOwnName: Bool) -> Bool

  private struct State {
    /// The number of what is kept; nil until then.
    var number: Int?
    var isDone = false
    var kept: [String] = []
  }

  private let trace: String
  private let codecs: CodecProvider
  private let isEarlier: IsEarlier?
  private let state = Locked(State())

  /// `isEarlier` nil = all that is there when the new recording begins.
  public init(of trace: String, _ codecs: @escaping CodecProvider, isEarlier: IsEarlier? = nil) {
    self.trace = trace
    self.codecs = codecs
    self.isEarlier = isEarlier
  }

  /// The name of each that was kept, the trace itself first. Empty as long as none was.
  public var kept: [String] { state.withLock { $0.kept } }

  /// Whether a trace has the name now that is of an earlier recording.
  public var hasTrace: Bool { isEarlierTrace(trace) }

  private typealias Found = (path: String, file: RecordedFile)

  /// The trace itself first.
  private func found() -> [Found] {
    let prefix = trace.contains("/") ? "" : "./"
    let left = EarlierRecording.left(of: trace).filter { $0.file.form == .trace }
    let traces: [Found] = left.map { (String($0.path.dropFirst(prefix.count)), $0.file) }
    let earlier = traces.filter { isOfEarlier($0.path, $0.file) }
    return earlier.filter { $0.file.base.isEmpty } + earlier.filter { !$0.file.base.isEmpty }
  }

  private func isOfEarlier(_ path: String, _ file: RecordedFile) -> Bool {
    if file.base.isEmpty { return isEarlierTrace(path) }
    return reader(path).map { file.isTold(by: $0) && isEarlier?($0, false) ?? true } ?? false
  }

  private func reader(_ path: String) -> TraceReader? {
    TraceFile.isTrace(path) ? try? TraceReader(source: FileSource(path: path), codecs: codecs) : nil
  }

  /// Of a trace with a name that the new recording wants. One that cannot be read is kept as well.
  private func isEarlierTrace(_ path: String) -> Bool {
    guard TraceFile.isTrace(path), let isEarlier else { return TraceFile.isTrace(path) }
    return reader(path).map { isEarlier($0, true) } ?? true
  }

  private func name(_ number: Int) -> KeptName { KeptName(stem: SpoolName.stem(trace), number: number) }

  /// Throws when one of them could not be renamed, as far as that can be told before anything is recorded.
  func check() throws(TraceFormatError) {
    let found = found()
    let empty = TraceFile.isEmpty(trace) ? [trace] : []
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

  /// Keeps all of them, once, for the first trace that is complete; and what else has its name. Throws when that is not
  /// possible; what was renamed by then has its new name.
  public var makesWay: FileSink.MakesWay {
    { [self] name throws(TraceFormatError) in
      let result: Result<Void, TraceFormatError> = state.withLock { state in
        do throws(TraceFormatError) {
          if !state.isDone { for (path, file) in found() { try keep(path, base: file.base, &state) } }
          state.isDone = true
          // It has a number in its name, and does not say whose it is.
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
      throw .nameTaken(what: "cannot record to \(trace): \(path) would be kept as \(new), which is there")
    }
    guard unsafe rename(path, new) == 0 else {
      let reason = unsafe String(cString: strerror(errno))
      throw .nameTaken(what: "cannot record to \(trace): \(path) cannot be renamed to \(new): \(reason)")
    }
    state.kept.append(new)
  }
}
