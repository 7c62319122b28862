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
    var asked = 0
    var number = 0
    var written: [Snapshot] = []
    /// Gaps before this moment cause no snapshots.
    var quietUntilNs: UInt64 = 0
    var quietGaps = 0
  }

  private let trace: String
  private let spanNs: UInt64
  private let state = Locked(State())
  private let makeRoom: FileSink.MakeRoom?
  private let queue = DispatchQueue(label: "rltrace-snapshots")

  /// After a snapshot for a gap, the next one waits `spanNs`, so that the two do not overlap.
  init(trace: String, spanNs: UInt64, makeRoom: FileSink.MakeRoom?) {
    self.trace = trace
    self.spanNs = spanNs
    self.makeRoom = makeRoom
  }

  func request() { state.withLock { $0.asked += 1 } }

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
      if state.asked > 0 { reasons.append("requested by a signal") }
      state.asked = 0
      guard let gap else { return }
      guard now >= state.quietUntilNs else {
        state.quietGaps += 1
        return
      }
      let quiet = state.quietGaps == 0 ? "" : ", after \(state.quietGaps) gaps without a snapshot"
      reasons.append("a gap of \(gap / 1_000_000) ms\(quiet)")
      state.quietUntilNs = now &+ spanNs
      state.quietGaps = 0
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
