import RunLoopVocabulary
import TraceResults

/// The work of loops while intervals of the program lasted.
///
/// An interval that ends on the thread of a loop cannot end while that loop does other work. For other threads,
/// nothing in the recording connects the interval with the work of a loop.
struct LoopHolds {
  private enum Holder: Hashable {
    case callout(kind: String, name: String)
    case function(String)
  }

  /// A listed busy interval.
  private struct Stretch {
    let start: UInt64
    let end: UInt64
    /// Its suspended time, and its time outside runs. Where these lie is not known.
    let unplaced: UInt64
    /// The time of each holder, by its place in `holders`.
    let work: [(holder: Int, ns: UInt64)]
  }

  /// From this share of the time on, a holder is named.
  private static let most = 0.5

  private var holders: [Holder] = []
  /// The stretches of each thread with a loop.
  private var stretches: [UInt32: [Stretch]] = [:]

  init(_ analysis: Analysis) {
    for loop in analysis.loops where loop.kind != .pool { stretches[loop.thread.index] = [] }
    var places: [Holder: Int] = [:]
    for busy in analysis.busy where !busy.isUncertain && stretches[busy.thread] != nil {
      var held = busy.callouts.map { (Holder.callout(kind: $0.kind, name: $0.name), $0.selfNs) }
      if let function = analysis.stall(of: busy)?.holder {
        held.append((Holder.function(function.frame.sourcePlace), function.ns))
      }
      var work: [(holder: Int, ns: UInt64)] = []
      for (holder, ns) in held {
        let place = places[holder] ?? holders.count
        if place == holders.count { holders.append(holder) }
        places[holder] = place
        work.append((holder: place, ns: ns))
      }
      stretches[busy.thread]?.append(
        Stretch(
          start: busy.startNs, end: busy.endNs, unplaced: busy.suspendedNs.saturated(adding: busy.outsideNs),
          work: work))
    }
  }

  /// Returns the work of the loop on whose thread an interval ended; nil if it ended on no loop's thread.
  func hold(of interval: MarkResults.Interval) -> MarkResults.Hold? {
    guard let thread = interval.endThread, let stretches = stretches[thread] else { return nil }
    let from = interval.startNs
    let to = interval.endNs
    var hold = MarkResults.Hold()
    var times: [Int: UInt64] = [:]
    for stretch in stretches {
      let (begin, end) = (max(stretch.start, from), min(stretch.end, to))
      guard begin < end else { continue }
      let part = end &- begin
      hold.ns = hold.ns.saturated(adding: part &- min(part, stretch.unplaced))
      // Where the work lies in the stretch is not known. At worst, all the rest of the stretch was this work.
      let rest = (stretch.end &- stretch.start) &- part
      for (holder, ns) in stretch.work where ns > rest {
        times[holder] = (times[holder] ?? 0).saturated(adding: ns &- rest)
      }
    }
    guard hold.ns > 0 else { return hold }
    // The longest comes last.
    let ordered = times.ordered { ($0.value, $1.key) < ($1.value, $0.key) }
    for (place, ns) in ordered where isAtLeast(ns, LoopHolds.most, of: hold.ns) {
      switch holders[place] {
      case .callout(let kind, let name): (hold.kind, hold.callout) = (kind, name)
      case .function(let function): hold.function = function
      }
    }
    return hold
  }
}
