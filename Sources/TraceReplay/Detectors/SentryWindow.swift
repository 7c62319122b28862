/// Sentry's second monitor: every 0.4 s it adds up how much of the last 2 s was delayed, in the time that the process ran.
struct SentryWindow {
  private let window: UInt64
  private let tick: UInt64
  private let frame: UInt64
  private var busy: [(start: UInt64, end: UInt64)] = []
  private var nextTick: UInt64?
  private var hangStart: UInt64?
  private var isFull = false
  private var recent: [UInt64] = []
  /// What stood still so far: it looks at a clock that goes on only while the process runs.
  private var suspended: UInt64 = 0
  private(set) var reports: [(start: UInt64, end: UInt64, isFull: Bool)] = []
  private(set) var count = 0

  init(unitNs: UInt64) {
    window = 2_000_000_000 / unitNs
    tick = window / 5
    frame = 16_666_667 / unitNs
  }

  mutating func suspended(from: UInt64, to: UInt64) { suspended &+= to &- from }

  /// A busy interval ended; intervals shorter than a frame delay none.
  mutating func add(_ found: FoundBusy) {
    let end = found.end &- suspended
    let start = end &- min(end, found.length)
    if nextTick == nil { nextTick = start / tick * tick &+ tick }
    // With no busy time the window is empty: the ticks between need not be counted.
    if hangStart == nil, let next = nextTick, start > next &+ window {
      nextTick = start / tick * tick &+ tick
    }
    busy.append((start, end))
    run(until: end)
  }

  private mutating func run(until now: UInt64) {
    while let at = nextTick, at <= now {
      nextTick = at &+ tick
      let from = at &- min(at, window)
      busy.removeAll { $0.end <= from }
      var delayed: UInt64 = 0
      var covers = false
      for interval in busy where interval.start < at && interval.end &- interval.start > frame {
        delayed &+= min(interval.end, at) &- max(interval.start, from)
        covers = covers || interval.start <= from && interval.end >= at
      }
      judge(at, from, delayed, covers)
    }
  }

  private mutating func judge(_ at: UInt64, _ from: UInt64, _ delayed: UInt64, _ covers: Bool) {
    if let start = hangStart {
      isFull = isFull || covers
      // Ends when little of the last two ticks was delayed.
      let since = at &- min(at, 2 &* tick)
      var late: UInt64 = 0
      for interval in busy where interval.start < at && interval.end > since {
        late &+= min(interval.end, at) &- max(interval.start, since)
      }
      if late < 2 &* tick / 5 { close(start, at) }
    } else if Double(delayed) > 0.99 * Double(window) {
      hangStart = from
      isFull = covers
    }
  }

  private mutating func close(_ start: UInt64, _ end: UInt64) {
    count += 1
    if reports.count < AnalysisLimits.listed {
      reports.append((start &+ suspended, end &+ suspended, isFull))
    }
    hangStart = nil
  }

  /// The recording ends while a hang goes on.
  mutating func finish(_ end: UInt64) {
    let end = end &- min(end, suspended)
    run(until: end)
    if let start = hangStart { close(start, end) }
  }
}
