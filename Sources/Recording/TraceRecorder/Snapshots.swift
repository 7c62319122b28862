import Dispatch
import SystemSupport
import TraceFormat

/// A trace of what a flight recorder held at some moment.
package struct Snapshot: Sendable {
  package let path: String
  /// Why the snapshot was taken.
  package let reason: String
  package let outcome: Result<RecordingSummary, RecordingError>
}

/// The snapshots of one recording. Any thread can request one. The drain cuts it, and a separate queue writes it, so
/// that the rings are emptied meanwhile.
final class Snapshots: Sendable {
  private struct State {
    var isAsked = false
    /// Why others than the user want a snapshot.
    var causes: [String] = []
    var number = 0
    var written: [Snapshot] = []
    /// Causes before this moment get no snapshots.
    var quietUntilNs: UInt64 = 0
    var quietCauses = 0
  }

  private let trace: String
  private let spanNs: UInt64
  private let state = Locked(State())
  private let makeRoom: FileSink.MakeRoom?
  private let queue = DispatchQueue(label: "rltrace-snapshots")

  /// After a snapshot for a gap or another cause, the next one waits `spanNs`, so that the two do not overlap.
  init(trace: String, spanNs: UInt64, makeRoom: FileSink.MakeRoom?) {
    self.trace = trace
    self.spanNs = spanNs
    self.makeRoom = makeRoom
  }

  /// Requests a snapshot for the user.
  func request() { state.withLock { $0.isAsked = true } }

  /// Requests a snapshot for a cause, in a few words. Soon after another one, the cause is only counted.
  func request(because cause: String) { state.withLock { $0.causes.append(cause) } }

  func takeWritten() -> [Snapshot] {
    state.withLock { state in
      defer { state.written = [] }
      return state.written
    }
  }

  func waitUntilWritten() { queue.sync {} }

  /// Takes the requested snapshots. The drain calls this after each look at the rings.
  func take(from reader: SpoolReader) {
    var reasons: [String] = []
    let gap = reader.takeGap()
    let now = DispatchTime.now().uptimeNanoseconds
    state.withLock { state in
      if state.isAsked { reasons.append("requested by a signal") }
      state.isAsked = false
      var causes = state.causes
      state.causes = []
      if let gap { causes.append("a gap of \(gap / 1_000_000) ms") }
      guard !causes.isEmpty else { return }
      guard now >= state.quietUntilNs else {
        state.quietCauses += causes.count
        return
      }
      let quiet = state.quietCauses == 0 ? "" : ", after \(state.quietCauses) others without a snapshot"
      reasons.append(causes.joined(separator: "; ") + quiet)
      state.quietUntilNs = now &+ spanNs
      state.quietCauses = 0
    }
    guard !reasons.isEmpty, let part = reader.recentPart() else { return }
    let path = state.withLock { state in
      state.number += 1
      return snapshotPath(state.number)
    }
    let reason = reasons.joined(separator: "; ")
    queue.async { [self] in
      let outcome = Result { () throws(RecordingError) in try write(part, path, reason) }
      state.withLock { $0.written.append(Snapshot(path: path, reason: reason, outcome: outcome)) }
    }
  }

  private func write(_ part: RecentPart, _ path: String, _ reason: String) throws(RecordingError)
    -> RecordingSummary
  {
    do throws(TraceFormatError) {
      let sink = try FileSink(recording: path, makeRoom: makeRoom)
      // A snapshot that cannot be written leaves no file. The recording still has all its events.
      defer { sink.discard() }
      return try part.write(to: sink, info: [InfoEntry(key: InfoEntry.snapshot, value: reason)])
    } catch {
      throw .trace(error)
    }
  }

  /// Returns the path of a snapshot: NAME.snapshot1.rltrace beside NAME.rltrace.
  private func snapshotPath(_ number: Int) -> String {
    "\(SpoolName.stem(trace)).snapshot\(number)\(SpoolName.traceSuffix)"
  }
}
