import TraceAnalysis
import TraceReplay
import TraceFormat

/// A trace written by hand, in microseconds. `main` and `worker` are threads of the program; `recorder` is the
/// recorder's own thread, and `queue` the main queue without a run loop. Strings 1...9 and modes 1...20 have names; mode 3
/// is the common modes, mode 21 the mode of the queue.
package struct HandTrace {
  package var main: String
  package var worker = ""
  package var recorder = ""
  package var queue = ""
  /// Sync points as (time in microseconds, monotonic ms, boottime ms).
  package var sync: [(time: UInt64, monotonic: UInt64, boottime: UInt64)] = [(0, 1000, 1000)]
  package var hasHigh = false
  /// Facts of the recording: `key`, or `key=value`.
  package var facts: [String] = []

  package init(
    main: String, worker: String = "", recorder: String = "", hasHigh: Bool = false,
    sync: [(time: UInt64, monotonic: UInt64, boottime: UInt64)] = [(0, 1000, 1000)]
  ) {
    self.main = main
    self.worker = worker
    self.recorder = recorder
    self.hasHigh = hasHigh
    self.sync = sync
  }

  package static let names = [
    "loop", "tick", "App.swift:10", "parse", "App.swift:20", "draw", "read", "save", "x",
  ]

  private func fact(_ text: String) -> String {
    let parts = text.split(separator: "=", maxSplits: 1)
    return "  \"\(parts[0])\" \"\(parts.count > 1 ? parts[1] : "")\""
  }

  /// Returns the events of a thread, one a line, with the same indentation.
  private func section(_ thread: Int, _ events: String) -> [String] {
    let lines = events.split(separator: "\n").map { "  " + $0.drop { $0 == " " } }
    return lines.isEmpty ? [] : ["events thread=\(thread)"] + lines
  }

  package func text() -> String {
    var lines = ["rltrace-text 1"]
    lines.append(
      "header minor=0 unit=1us codec=none capture=callouts clock=virtual high=\(hasHigh ? "yes" : "no")")
    lines.append("strings")
    lines += HandTrace.names.enumerated().map { "  \($0 + 1) \"\($1)\"" }
    lines += [
      "threads", "  0 os=1 main=yes \"main\"", "  1 os=2 main=no \"worker\"", "  2 os=0 main=no \"rltrace\"",
    ]
    if !queue.isEmpty { lines.append("  3 os=0 main=yes \"\(ThreadDefinition.mainQueueName)\"") }
    lines.append("modes")
    for mode in 1...20 {
      lines.append("  \(mode) \"\(mode == 3 ? "kCFRunLoopCommonModes" : "mode \(mode)")\"")
    }
    if !queue.isEmpty { lines.append("  21 \"(no run loop)\"") }
    lines.append("sync")
    for point in sync {
      lines.append(
        "  \(point.time) monotonic=\(point.monotonic)000000 boottime=\(point.boottime)000000 realtime=0")
    }
    if !facts.isEmpty { lines += ["info"] + facts.map(fact) }
    lines += section(0, main) + section(1, worker) + section(2, recorder) + section(3, queue)
    lines.append("end")
    return lines.joined(separator: "\n")
  }

  package func analysis(_ options: AnalysisOptions = AnalysisOptions()) throws -> Analysis {
    try TraceAnalyzer(openTrace(assembleTrace(text())), options: options).analyze()
  }

  /// A loop in mode 1 that goes to sleep at 30.
  package static let asleep = """
    0 Entry.low m1 #1
    10 BeforeTimers.low m1 #1
    20 BeforeSources.low m1 #1
    30 BeforeWaiting.low m1 #1

    """

  /// The same loop with high stamps, up to the low stamp of BeforeWaiting at 30.
  package static let asleepWithHighStamps = """
    0 Entry.low m1 #1
    1 Entry.high m1 #1
    10 BeforeTimers.low m1 #1
    11 BeforeTimers.high m1 #1
    20 BeforeSources.low m1 #1
    21 BeforeSources.high m1 #1
    30 BeforeWaiting.low m1 #1

    """

  /// Returns a run with one source0 that takes `length` from `start`. `waits`: the loop waits afterwards.
  package static func held(at start: Int, for length: Int, waits: Bool = true) -> String {
    """
    \(start) Entry.low m1 #1
    \(start + 10) BeforeTimers.low m1 #1
    \(start + 20) BeforeSources.low m1 #1
    \(start + 30) source0.begin m1 #5
    \(start + 30 + length) source0.end m1 #5

    """
      + (waits
        ? """
        \(start + 40 + length) BeforeWaiting.low m1 #1
        \(start + 50 + length) AfterWaiting.low m1 #1

        """ : "") + "\(start + 60 + length) Exit.low m1 #1\n"
  }

  /// A frame source `tick` with due points every 10 ms, from 10 ms to the end at 50 ms. The source0 `parse` makes its
  /// second frame late, so the point at 30 ms is skipped. The state `read` has two values, and none from 45 ms on.
  package static func frames(isDeclared: Bool = true) -> HandTrace {
    HandTrace(
      main: tick(due: 10_000, interval: 10_000) + (isDeclared ? "0 timer.frames #2\n" : "") + """
        0 source.create #3 name=4 version=0 order=0 site=5
        0 state name=7 value=6
        0 Entry.low m1 #1
        10 BeforeTimers.low m1 #1
        10000 timer.due m1 #2 due=10000
        10000 timer.begin m1 #2
        11000 timer.end m1 #2
        19000 source0.begin m1 #3
        25000 state name=7 value=4
        33000 source0.end m1 #3
        33000 timer.due m1 #2 due=20000
        33000 timer.begin m1 #2
        34000 timer.end m1 #2
        40000 timer.due m1 #2 due=40000
        40000 timer.begin m1 #2
        41000 timer.end m1 #2
        45000 state name=7 value=0
        50000 Exit.low m1 #1
        """)
  }

  /// Returns a timer of 100 ms in the given modes, first due at `due`.
  package static func tick(due: Int, modes: [Int] = [1], interval: Int = 100_000, tolerance: Int = 0)
    -> String
  {
    "0 timer.create #2 name=2 interval_ns=\(interval * 1000) tolerance_ns=\(tolerance * 1000) due=\(due) site=3\n"
      + modes.map { "0 timer.add #2 mode=\($0) loop=1\n" }.joined()
  }

  /// Returns a loop in mode 1 that waits between the frames of the timer `tick`, which comes due every 10 ms, from 10 ms
  /// on. A frame takes 1 ms, or its time in `took`, by its number. Points that pass meanwhile are skipped.
  package static func frames(_ count: Int, took: [Int: Int] = [:], isDeclared: Bool = true) -> String {
    var main = tick(due: 10_000, interval: 10_000) + (isDeclared ? "0 timer.frames #2\n" : "") + asleep
    var number = 1
    while number <= count {
      let due = number * 10_000
      let end = due + (took[number] ?? 1000)
      main += """
        \(due) AfterWaiting.low m1 #1
        \(due) timer.due m1 #2 due=\(due)
        \(due) timer.begin m1 #2
        \(end) timer.end m1 #2
        \(end) BeforeTimers.low m1 #1
        \(end) BeforeSources.low m1 #1
        \(end) BeforeWaiting.low m1 #1

        """
      number = end / 10_000 + 1
    }
    let end = (count + 1) * 10_000
    return main + "\(end) AfterWaiting.low m1 #1\n\(end) Exit.low m1 #1\n"
  }
}

extension Analysis {
  /// Returns the nonzero causes of lateness of the timer class with the name, in microseconds; nil when it has no
  /// ledger.
  package func lateness(of name: String) -> [Cause: UInt64]? {
    timers.first { $0.name == name }?.ledger?.ledgerNs.filter { $0.value > 0 }.mapValues { $0 / 1000 }
  }

  package func skipped(of name: String) -> [Cause: UInt64]? {
    timers.first { $0.name == name }?.ledger?.skippedBy.filter { $0.value > 0 }
  }
}
