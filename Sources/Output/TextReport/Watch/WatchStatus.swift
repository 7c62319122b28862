import TraceFormat
import TraceResults

/// The state of a watched recording besides its analysis.
package struct WatchStatus: Sendable {
  /// The name of the recording.
  package var name: String
  /// 0 = not known.
  package var processID: Int32
  /// The time since the recording began.
  package var elapsedNs: UInt64
  /// The slots that were overwritten before they were read.
  package var unseenSlots: UInt64
  /// Such as "stopped", shown after the name; empty = the recording is under way.
  package var note: String

  package init(name: String, processID: Int32, elapsedNs: UInt64, unseenSlots: UInt64 = 0, note: String = "")
  {
    self.name = name
    self.processID = processID
    self.elapsedNs = elapsedNs
    self.unseenSlots = unseenSlots
    self.note = note
  }

  /// `00:01:12`.
  var clock: String {
    let seconds = elapsedNs / 1_000_000_000
    func two(_ number: UInt64) -> String { (number < 10 ? "0" : "") + String(number) }
    return "\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
  }

  var title: String {
    harmless(name) + (processID > 0 ? " (pid \(processID))" : "") + (note.isEmpty ? "" : ", \(note)")
  }

  /// The rate of events in the span of `analysis`, and what is missing from it.
  func counts(_ analysis: Analysis) -> String {
    let spanNs = max(analysis.trace.toNs &- analysis.trace.fromNs, 1)
    let rate = Units.significant(Double(analysis.trace.events) / Double(spanNs) * 1e9)
    let lost = analysis.trace.lostEvents &- min(analysis.trace.lostEvents, unseenSlots)
    return "\(rate) events/s  \(lost) lost  \(unseenSlots) not seen"
  }
}

extension ThreadDefinition {
  /// The name in views.
  var shownName: String { mainName ?? (name.isEmpty ? "thread \(index)" : harmless(name)) }
}

/// The state of a loop at the end of the analyzed span.
struct LoopNow {
  let loop: LoopResult
  /// The innermost open callout of the thread; nil = none is open.
  let callout: RunningCallout?
  /// How long the thread has been busy without a wait; nil = it is waiting or runs no loop.
  let busyNs: UInt64?
  let utilisation: UtilisationResult?

  static func all(_ analysis: Analysis) -> [LoopNow] {
    let loops = analysis.loops.map { loop in
      let thread = loop.thread.index
      return LoopNow(
        loop: loop, callout: analysis.openCallouts.first { $0.depth == 0 && $0.thread == thread },
        busyNs: analysis.busy.first { $0.isOpen && $0.thread == thread }?.durationNs,
        utilisation: analysis.utilisation.first { $0.thread == thread })
    }
    return loops.ordered {
      ($0.isMain ? 0 : 1, $0.loop.thread.index) < ($1.isMain ? 0 : 1, $1.loop.thread.index)
    }
  }

  var isMain: Bool { loop.thread.isMain }
  var name: String { loop.thread.shownName }

  /// Whether the open callout only surrounds a run that continues inside it.
  private var isNested: Bool { callout != nil && loop.openRun.map { !$0.isInCallout } ?? false }

  /// How long the loop has been held: the length of the open callout, or of the busy interval if that is longer.
  var heldNs: UInt64 { max(isNested ? 0 : callout?.durationNs ?? 0, busyNs ?? 0) }
  /// Whether this is a hang. Between two waits for a list, a thread may do other things.
  var isHang: Bool { heldNs >= BusyClass.hangNs && loop.kind != .list }

  /// Such as `IN timer "hang" 380 ms, in work() Feed.swift:31`.
  var text: String {
    let around = callout.map { "\($0.kind) \"\(harmless($0.name))\"" } ?? ""
    if let callout, !isNested {
      let place = callout.function.map { ", in \(harmless($0, limit: 80))" } ?? ""
      return "IN \(around) \(Units.duration(callout.durationNs))\(place)"
    }
    guard let run = loop.openRun else { return "runs no loop" }
    return (run.isWaiting ? "waiting in " : "busy in ") + harmless(run.mode)
      + (busyNs.map { " for \(Units.duration($0))" } ?? "") + (isNested ? ", inside \(around)" : "")
  }

  var share: String { utilisation?.share.map { "busy \(Int(clamping: ($0 * 100).rounded())) %" } ?? "" }

  private static let bars = Array("▁▂▃▄▅▆▇█")

  /// The utilisation over the span, oldest first; a blank where the thread ran no loop.
  func sparkline(width: Int) -> String {
    guard let series = utilisation?.series, !series.isEmpty, width > 0 else { return "" }
    return String(
      (0..<width).map { column -> Character in
        let from = column * series.count / width
        let bins = series[from..<min(series.count, max(from + 1, (column + 1) * series.count / width))]
        let busy = bins.map(\.busyNs).saturatedSum, all = busy &+ bins.map(\.waitingNs).saturatedSum
        guard all > 0 else { return " " }
        return LoopNow.bars[
          min(LoopNow.bars.count - 1, Int(clamping: Double(busy) / Double(all) * Double(LoopNow.bars.count)))]
      })
  }
}

extension FrameSourceResult {
  /// Such as `hitches 12.3 ms/s, bad`.
  var hitchWords: String { "hitches \(Units.rate(ratio ?? 0)), \(band.name)" }
}

/// One line about each interval, for a pipe.
package enum WatchLine {
  /// Returns the lines of an interval: the thread that receives input, and each loop and queue that is held for a long
  /// time.
  package static func lines(_ analysis: Analysis, _ status: WatchStatus) -> [String] {
    let loops = LoopNow.all(analysis)
    let waiting = QueueNow.all(analysis).filter(\.isAlarming).prefix(3)
    let queues = waiting.map { "\(status.clock)  \($0.text)" }
    guard let first = loops.first else {
      if analysis.work.isRecorded {
        return queues.isEmpty
          ? ["\(status.clock)  \(status.title): no work waits long  \(status.counts(analysis))"] : queues
      }
      return ["\(status.clock)  \(status.title): no run loop has run yet"]
    }
    let others = loops.dropFirst().filter(\.isHang)
    let held = ([first] + others).map { now -> String in
      let skipped = analysis.timers.filter { $0.thread == now.loop.thread.index }.compactMap(
        \.ledger?.skipped
      ).saturatedSum
      let frames = analysis.frames.declared(on: now.loop.thread.index).map { "\($0.hitchWords)  " }
      return
        "\(status.clock)  \(now.name)  \(now.text)\(now.isHang ? " (hang)" : "")  \(now.share)  \(skipped) skipped  "
        + frames.joined() + status.counts(analysis)
    }
    return held + queues
  }
}
