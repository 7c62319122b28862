import TraceFormat
import TraceResults

/// The metrics of a watched recording for a scraper. Counters add up the analyses of successive spans.
package struct Exposition {
  /// Loops with rows of their own, those that were seen first. All others share one row.
  package static let ownRows = 64
  /// The shortest busy interval that an analysis must list, in nanoseconds, so that a hang under way is seen.
  package static let listedBusyNs: UInt64 = 1_000_000

  /// The metrics of one loop.
  struct Loop {
    /// The labels that tell it apart.
    let thread: String
    let index: String
    /// Since the first span.
    var all = LoopSample()
    /// The sample of the last span; nil if the loop did not run in it.
    var last: LoopSample?

    mutating func add(_ sample: LoopSample) {
      all.add(sample)
      if last == nil { last = sample } else { last?.add(sample) }
    }
  }

  /// The metrics of the recording.
  struct Recording {
    var name = ""
    var isUnderWay = true
    var observedNs: UInt64 = 0
    var events: UInt64 = 0
    var lost: UInt64 = 0
    var unseenSlots: UInt64 = 0
    var poolThreads: UInt64 = 0
    /// Loops in the shared row.
    var combined: Set<UInt32> = []
    /// All losses in the analyses, which include what only the view missed.
    var missing: UInt64 = 0
  }

  private var recording = Recording()
  private var loops: [Loop] = []
  /// The places of loops with a row of their own, by thread.
  private var places: [UInt32: Int] = [:]
  private var shared = Loop(thread: "(other loops)", index: "")

  package init() {}

  /// Adds the analysis of the next span. It must count what is open when the span begins.
  package mutating func add(_ analysis: Analysis, _ status: WatchStatus) {
    let trace = analysis.trace
    recording.name = status.name
    recording.observedNs = recording.observedNs.saturated(adding: trace.toNs &- min(trace.fromNs, trace.toNs))
    recording.events = recording.events.saturated(adding: trace.events)
    recording.unseenSlots = status.unseenSlots
    recording.missing = recording.missing.saturated(adding: trace.lostEvents)
    // A counter never falls.
    let lost = recording.missing &- min(recording.missing, recording.unseenSlots)
    recording.lost = max(recording.lost, lost)

    for place in loops.indices { loops[place].last = nil }
    shared.last = nil
    let running = Dictionary(grouping: LoopNow.all(analysis)) { $0.loop.thread.index }
    var pools: UInt64 = 0
    for (thread, nows) in running.ordered(by: { $0.key < $1.key }) {
      // The threads of a pool also rest elsewhere: the time between two waits says nothing.
      if nows.contains(where: { $0.loop.kind == .pool }) {
        pools += 1
      } else {
        add(LoopSample(analysis, nows), thread, nows[0])
      }
    }
    recording.poolThreads = pools
  }

  private mutating func add(_ sample: LoopSample, _ thread: UInt32, _ now: LoopNow) {
    if let place = places[thread] { return loops[place].add(sample) }
    guard loops.count < Exposition.ownRows else {
      recording.combined.insert(thread)
      return shared.add(sample)
    }
    places[thread] = loops.count
    var loop = Loop(thread: now.loop.thread.mainName ?? now.loop.thread.name, index: "\(thread)")
    loop.add(sample)
    loops.append(loop)
  }

  /// Notes that the recording has ended: nothing is under way any more.
  package mutating func end() {
    recording.isUnderWay = false
    for place in loops.indices { loops[place].last = nil }
    shared.last = nil
  }

  /// Returns the text for a scraper, with a line feed at its end.
  package func text(_ format: ExpositionFormat) -> String {
    var text = ""
    let name = recording.name
    let rows = [(labels: ExpositionText.labels(["recording": name]), row: recording)]
    for metric in Exposition.ofRecording { metric.write(rows, as: format, to: &text) }
    let loops = (loops + (recording.combined.isEmpty ? [] : [shared])).map { loop in
      (
        labels: ExpositionText.labels(
          ["recording": name, "thread": loop.thread, "thread_index": loop.index]), row: loop
      )
    }
    for metric in Exposition.ofLoop { metric.write(loops, as: format, to: &text) }
    return format == .openMetrics ? text + "# EOF\n" : text
  }
}

/// The metrics. Each is declared here, and only here.
extension Exposition {
  private static let ofRecording: [ExposedMetric<Recording>] = [
    .count(.gauge, "recording_under_way", "1 while the recording is under way, 0 after its end.") {
      $0.isUnderWay ? 1 : 0
    },
    .time(.counter, "observed", "Recorded time that the counters cover.") { $0.observedNs },
    .count(.counter, "events", "Recorded events.") { $0.events },
    .count(.counter, "lost_events", "Events that the recorder lost.") { $0.lost },
    .count(.counter, "unseen_slots", "Slots of events that are recorded, but that this view missed.") {
      $0.unseenSlots
    },
    .count(
      .gauge, "loops_combined",
      "Loops beyond the first \(ownRows), which share one row with an empty thread_index."
    ) { UInt64($0.combined.count) },
    .count(.gauge, "pool_threads", "Threads of pools, which have no row because they also rest elsewhere.") {
      $0.poolThreads
    },
  ]

  private static let ofLoop: [ExposedMetric<Loop>] = [
    .time(.counter, "loop_busy", "Time inside runs of the loop in which it did not wait.") { $0.all.busyNs },
    .time(.counter, "loop_waiting", "Time inside runs of the loop in which it waited.") { $0.all.waitingNs },
    .share("loop_busy", "Busy share in the last interval: busy / (busy + waiting).") {
      $0.last.flatMap { ratio($0.busyNs, $0.busyNs.saturated(adding: $0.waitingNs)) }
    },
    .count(.counter, "loop_passes", "Passes that have ended.") { $0.all.passes },
    .time(.gauge, "loop_longest_pass", "Longest pass that ended in the last interval, without its waits.") {
      $0.last?.longestPassNs
    },
    .time(.gauge, "loop_held", "How long the loop has been busy without a wait now; 0 while it waits.") {
      $0.last?.heldNs
    },
    .count(.counter, "loop_hangs", "Busy intervals of 250 ms and more that have ended.") { $0.all.hangs },
    .count(.counter, "loop_timer_fires", "Fires of timers.") { $0.all.fires },
    .count(.counter, "loop_missed_fires", "Due points of timers that were skipped.") { $0.all.missedFires },
    .time(.gauge, "loop_longest_lateness", "Longest lateness of the fires in the last interval.") {
      $0.last?.longestLatenessNs
    },
    .time(.gauge, "loop_timer_overdue", "How long the most overdue timer has been due now.") {
      $0.last?.overdueNs
    },
    .time(.counter, "loop_hitch", "Time in which frames of declared frame sources were overdue.") {
      $0.all.frames?.hitchNs
    },
    .time(.counter, "loop_frames_active", "Time in which declared frame sources were active.") {
      $0.all.frames?.activeNs
    },
    .share("loop_hitch", "Hitch ratio in the last interval: hitch / frames active; 0.01 is 10 ms per s.") {
      $0.last?.frames.flatMap { ratio($0.hitchNs, $0.activeNs) }
    },
    .count(
      .gauge, "loop_waiting_work", "Blocks, signals, wake-ups and due timers that wait for the loop now."
    ) {
      $0.last?.waitingWork
    },
    .time(.gauge, "loop_longest_work_wait", "How long the oldest of them has waited.") {
      $0.last?.longestWorkWaitNs
    },
  ]

  /// The rows of the table in docs/reference/commands/watch.md.
  package static var pageRows: [String] { ofRecording.map(\.pageRow) + ofLoop.map(\.pageRow) }
}
