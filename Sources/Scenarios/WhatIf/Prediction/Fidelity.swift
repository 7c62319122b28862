import TraceFormat

/// How accurately a replay without a change reproduces one loop of a recording.
package struct Fidelity: Equatable, Sendable {
  /// The name of the loop's thread.
  package var thread: String
  /// The events of the thread that the replay made in the recorded order.
  package var events: Int
  /// The arrivals and wake-ups whose time was not recorded. They are placed where the loop noticed them.
  package var inferredArrivals: Int
  package var inferredWakes: Int
  /// The arrivals and due points that take effect a little before or after their recorded times.
  package var swaps: Int
  /// Where the replay diverged from the recording; nil = it never did.
  package var divergence: Divergence?
  /// How far the begins of callouts lie from the recorded ones if the loop's own time is the median of the trace:
  /// first all callouts, then by mode, then by timer.
  package var residues: [Residue]

  /// The distribution of differences for one group of callouts, in nanoseconds.
  package struct Residue: Equatable, Sendable {
    package enum Group: String, Sendable { case all, mode, timer }
    package var group: Group
    /// The name of the mode or timer; empty for all.
    package var name: String
    package var callouts: Int
    package var p50Ns: UInt64
    package var p99Ns: UInt64
    package var maxNs: UInt64

    init(_ group: Group, _ name: String, _ differences: [UInt64]) {
      let sorted = differences.sorted()
      func quantile(_ share: Double) -> UInt64 {
        sorted.isEmpty
          ? 0 : sorted[min(sorted.count - 1, Int(clamping: (Double(sorted.count) * share).rounded(.up)) - 1)]
      }
      self.group = group
      self.name = name
      callouts = sorted.count
      p50Ns = quantile(0.5)
      p99Ns = quantile(0.99)
      maxNs = sorted.last ?? 0
    }
  }

  /// The 99th percentile of the differences of all callouts, in nanoseconds. No prediction is more accurate.
  package var residueNs: UInt64 { residues.first?.p99Ns ?? 0 }

  /// Whether every event has its recorded time.
  package var isExact: Bool {
    divergence == nil && inferredArrivals == 0 && inferredWakes == 0 && swaps == 0
      && (residues.first?.maxNs ?? 0) == 0
  }
}

/// Collects the differences between a replay and its recording.
final class ResidueCollector {
  private struct Difference {
    var ns: UInt64
    /// The life of a timer; -1 for other callouts.
    var timer: Int32
    var mode: UInt8
  }
  private var all: [Difference] = []
  private let recording: Recording
  private let events: [RecordedEvent]

  init(_ recording: Recording, _ history: LoopHistory) {
    self.recording = recording
    events = recording.threads[history.place].events
  }

  func receive(_ event: ReplayedEvent) {
    guard event.callout >= 0 else { return }
    let recorded = events[Int(event.callout)].time
    let difference =
      (event.time > recorded ? event.time - recorded : recorded - event.time) * recording.unitNs
    all.append(
      Difference(ns: difference, timer: event.kind == .timerBegin ? event.life : -1, mode: event.mode))
  }

  var residues: [Fidelity.Residue] {
    var byMode: [UInt8: [UInt64]] = [:]
    var byTimer: [String: [UInt64]] = [:]
    for (timer, group) in Dictionary(grouping: all, by: \.timer) where timer >= 0 {
      byTimer[recording.lives[Int(timer)].name, default: []] += group.map(\.ns)
    }
    for (mode, group) in Dictionary(grouping: all, by: \.mode) { byMode[mode] = group.map(\.ns) }
    return [Fidelity.Residue(.all, "", all.map(\.ns))]
      + byMode.ordered { $0.key < $1.key }.map { .init(.mode, recording.modeName($0.key), $0.value) }
      + byTimer.ordered { $0.key < $1.key }.map { .init(.timer, $0.key, $0.value) }
  }
}
