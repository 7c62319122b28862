import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat
import TraceReplay

@testable import TextReport

/// The metrics of `rltrace watch` for a scraper.
@Suite struct ExpositionTests {
  /// A loop that hangs from 0.5 s to 1.5 s. Times are microseconds.
  private static let hanging = """
    0 loop.create m1 #1 name=1
    0 Entry.low m1 #1
    10 BeforeTimers.low m1 #1
    20 BeforeSources.low m1 #1
    30 BeforeWaiting.low m1 #1
    500000 AfterWaiting.low m1 #1
    500010 BeforeTimers.low m1 #1
    500020 BeforeSources.low m1 #1
    1500000 BeforeWaiting.low m1 #1
    1600000 AfterWaiting.low m1 #1
    1600010 BeforeTimers.low m1 #1
    1600020 BeforeSources.low m1 #1
    1600030 BeforeWaiting.low m1 #1
    3000000 AfterWaiting.low m1 #1
    3000010 Exit.low m1 #1
    """

  private static func options(from: UInt64? = nil, to: UInt64? = nil) -> AnalysisOptions {
    var options = AnalysisOptions()
    options.replay.detectors = []
    options.replay.countsOpenAtStart = true
    options.replay.busyThresholdNs = Exposition.listedBusyNs
    (options.from, options.to) = (from, to)
    return options
  }

  private static func exposition(
    _ analyses: [Analysis], name: String = "app.rltrace", unseenSlots: UInt64 = 0
  ) -> Exposition {
    var exposition = Exposition()
    for analysis in analyses {
      exposition.add(
        analysis, WatchStatus(name: name, processID: 7, elapsedNs: 0, unseenSlots: unseenSlots))
    }
    return exposition
  }

  /// Returns the value of the first sample of a metric.
  private static func value(_ metric: String, _ text: String) -> String? {
    text.split(separator: "\n").first { $0.hasPrefix(metric + "{") }?.split(separator: " ").last.map(
      String.init)
  }

  /// `promtool check metrics` accepts the second text, and the parser of Prometheus' Python client the first.
  @Test func theTextIsExact() throws {
    let analysis = try HandTrace(main: Self.hanging).analysis(Self.options(from: 1_000_000, to: 2_000_000))
    let exposition = Self.exposition([analysis], name: #"my "app\1".rltrace"#)
    let recording = #"{recording="my \"app\\1\".rltrace"}"#
    let loop = #"{recording="my \"app\\1\".rltrace",thread="main",thread_index="0"}"#
    let expected = """
      # TYPE rltrace_recording_under_way gauge
      # HELP rltrace_recording_under_way 1 while the recording is under way, 0 after its end.
      rltrace_recording_under_way\(recording) 1
      # TYPE rltrace_observed_seconds counter
      # UNIT rltrace_observed_seconds seconds
      # HELP rltrace_observed_seconds Recorded time that the counters cover.
      rltrace_observed_seconds_total\(recording) 1
      # TYPE rltrace_events counter
      # HELP rltrace_events Recorded events.
      rltrace_events_total\(recording) 5
      # TYPE rltrace_lost_events counter
      # HELP rltrace_lost_events Events that the recorder lost.
      rltrace_lost_events_total\(recording) 0
      # TYPE rltrace_unseen_slots counter
      # HELP rltrace_unseen_slots Slots of events that are recorded, but that this view missed.
      rltrace_unseen_slots_total\(recording) 0
      # TYPE rltrace_loops_combined gauge
      # HELP rltrace_loops_combined Loops beyond the first 64, which share one row with an empty thread_index.
      rltrace_loops_combined\(recording) 0
      # TYPE rltrace_pool_threads gauge
      # HELP rltrace_pool_threads Threads of pools, which have no row because they also rest elsewhere.
      rltrace_pool_threads\(recording) 0
      # TYPE rltrace_loop_busy_seconds counter
      # UNIT rltrace_loop_busy_seconds seconds
      # HELP rltrace_loop_busy_seconds Time inside runs of the loop in which it did not wait.
      rltrace_loop_busy_seconds_total\(loop) 0.50003
      # TYPE rltrace_loop_waiting_seconds counter
      # UNIT rltrace_loop_waiting_seconds seconds
      # HELP rltrace_loop_waiting_seconds Time inside runs of the loop in which it waited.
      rltrace_loop_waiting_seconds_total\(loop) 0.49997
      # TYPE rltrace_loop_busy_ratio gauge
      # UNIT rltrace_loop_busy_ratio ratio
      # HELP rltrace_loop_busy_ratio Busy share in the last interval: busy / (busy + waiting).
      rltrace_loop_busy_ratio\(loop) 0.50003
      # TYPE rltrace_loop_passes counter
      # HELP rltrace_loop_passes Passes that have ended.
      rltrace_loop_passes_total\(loop) 1
      # TYPE rltrace_loop_longest_pass_seconds gauge
      # UNIT rltrace_loop_longest_pass_seconds seconds
      # HELP rltrace_loop_longest_pass_seconds Longest pass that ended in the last interval, without its waits.
      rltrace_loop_longest_pass_seconds\(loop) 1
      # TYPE rltrace_loop_held_seconds gauge
      # UNIT rltrace_loop_held_seconds seconds
      # HELP rltrace_loop_held_seconds How long the loop has been busy without a wait now; 0 while it waits.
      rltrace_loop_held_seconds\(loop) 0
      # TYPE rltrace_loop_hangs counter
      # HELP rltrace_loop_hangs Busy intervals of 250 ms and more that have ended.
      rltrace_loop_hangs_total\(loop) 1
      # TYPE rltrace_loop_timer_fires counter
      # HELP rltrace_loop_timer_fires Fires of timers.
      rltrace_loop_timer_fires_total\(loop) 0
      # TYPE rltrace_loop_missed_fires counter
      # HELP rltrace_loop_missed_fires Due points of timers that were skipped.
      rltrace_loop_missed_fires_total\(loop) 0
      # TYPE rltrace_loop_waiting_work gauge
      # HELP rltrace_loop_waiting_work Blocks, signals, wake-ups and due timers that wait for the loop now.
      rltrace_loop_waiting_work\(loop) 0
      # TYPE rltrace_loop_longest_work_wait_seconds gauge
      # UNIT rltrace_loop_longest_work_wait_seconds seconds
      # HELP rltrace_loop_longest_work_wait_seconds How long the oldest of them has waited.
      rltrace_loop_longest_work_wait_seconds\(loop) 0
      # EOF

      """
    #expect(exposition.text(.openMetrics) == expected)

    // The other format names counters by their samples, and has neither units nor an end.
    var lines: [String] = []
    var counter: String?
    for line in expected.split(separator: "\n").map(String.init) {
      let words = line.split(separator: " ")
      if words[1] == "TYPE" { counter = words[3] == "counter" ? String(words[2]) : nil }
      guard line.hasPrefix("# "), words[1] != "UNIT", words[1] != "EOF" else {
        if !line.hasPrefix("# ") { lines.append(line) }
        continue
      }
      lines.append(counter.map { line.replacing(" \($0) ", with: " \($0)_total ") } ?? line)
    }
    #expect(exposition.text(.prometheus) == lines.joined(separator: "\n") + "\n")
  }

  @Test(arguments: [
    ("plain", "plain"), (#"a\b"#, #"a\\b"#), ("\"", #"\""#), ("a\nb\n", #"a\nb\n"#), (#"\n"#, #"\\n"#),
    ("é", "é"),
  ])
  func escaping(text: String, expected: String) {
    #expect(ExpositionText.escaped(text) == expected)
  }

  @Test(
    arguments: [
      (0, "0"), (3, "3"), (0.5, "0.5"), (1.000000001, "1.000000001"), (86_400.25, "86400.25"),
      (Double(UInt64.max), "1.8446744073709552e+19"),
    ] as [(Double, String)])
  func numbers(value: Double, expected: String) { #expect(ExpositionText.number(value) == expected) }

  /// No name of a program breaks a line, or is unsafe on a terminal.
  @Test func hostileNamesStayInTheirLines() throws {
    let analysis = try HandTrace(main: Self.hanging).analysis(Self.options())
    for name in ["\u{1B}[2J", "a\nb 1", "\"} 5", "\\", String(repeating: "x", count: 100_000)] {
      let text = Self.exposition([analysis], name: name).text(.openMetrics)
      #expect(text.hasSuffix("\n# EOF\n"))
      for line in text.split(separator: "\n") {
        #expect(line.hasPrefix("# ") || line.hasPrefix("rltrace_"), "\(line.prefix(200))")
        #expect(line.count < 400 && !line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
      }
    }
  }

  /// The page lists exactly the metrics of the table. RLTRACE_UPDATE_GOLDEN=1 writes its rows.
  @Test func thePageListsTheMetrics() throws {
    let path = "docs/reference/commands/watch.md"
    var lines = try ProjectFiles.text(path).components(separatedBy: "\n")
    let heading = try #require(lines.firstIndex(of: "| metric | type | unit | meaning |"))
    let end = lines[heading...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
    lines.replaceSubrange((heading + 2)..<end, with: Exposition.pageRows)
    try GeneratedFile.expect(path, is: lines.joined(separator: "\n"))
  }

  /// Names have the parts that scrapers expect, and each is declared once.
  @Test func namesAreValid() {
    let rows = Exposition.pageRows.map { $0.split(separator: "|").map { $0.trimmingPrefix(" ") } }
    let names = rows.map { String($0[0].filter { $0 != "`" && $0 != " " }) }
    #expect(Set(names).count == names.count && names.count > 15)
    for (name, row) in zip(names, rows) {
      #expect(name.wholeMatch(of: /rltrace_[a-z_]+/) != nil, "\(name)")
      let unit = row[2].filter { $0 != " " }
      let family = name.hasSuffix("_total") ? String(name.dropLast(6)) : name
      #expect(name.hasSuffix("_total") == row[1].hasPrefix("counter"), "\(name)")
      #expect(unit.isEmpty || family.hasSuffix("_\(unit)"), "\(name)")
      #expect(row[3].contains("."), "\(name) has no meaning")
    }
  }

  /// Successive spans count each pass and each hang once, where it ends.
  @Test func countersAddUp() throws {
    let trace = HandTrace(main: Self.hanging)
    let whole = Self.exposition([try trace.analysis(Self.options())]).text(.openMetrics)
    for bounds: [UInt64] in [[1_000_000, 2_000_000], [500_015, 1_000_000, 1_550_000, 1_600_025, 2_999_999]] {
      let starts: [UInt64?] = [nil] + bounds.map(Optional.some)
      let ends: [UInt64?] = bounds.map(Optional.some) + [nil]
      let analyses = try zip(starts, ends).map { try trace.analysis(Self.options(from: $0, to: $1)) }
      let parts = Self.exposition(analyses).text(.openMetrics)
      for counter in ["busy_seconds", "waiting_seconds", "passes", "hangs"] {
        let name = "rltrace_loop_\(counter)_total"
        #expect(Self.value(name, parts) == Self.value(name, whole), "\(name) \(bounds)")
        #expect(Self.value(name, whole) != "0", "\(name)")
      }
      #expect(Self.value("rltrace_events_total", parts) == Self.value("rltrace_events_total", whole))
    }
    #expect(Self.value("rltrace_loop_passes_total", whole) == "3")
  }

  /// The hitches of declared frame sources. A hitch that successive spans divide adds up to the whole.
  @Test func hitches() throws {
    let trace = HandTrace(main: HandTrace.frames(5, took: [2: 15_000]))
    for bounds: [UInt64] in [[], [34_000], [25_000, 37_000, 40_000]] {
      let starts: [UInt64?] = [nil] + bounds.map(Optional.some)
      let ends: [UInt64?] = bounds.map(Optional.some) + [nil]
      let analyses = try zip(starts, ends).map { try trace.analysis(Self.options(from: $0, to: $1)) }
      let text = Self.exposition(analyses).text(.openMetrics)
      #expect(Self.value("rltrace_loop_hitch_seconds_total", text) == "0.01", "\(bounds)")
      #expect(Self.value("rltrace_loop_frames_active_seconds_total", text) == "0.05", "\(bounds)")
    }
    let whole = Self.exposition([try trace.analysis(Self.options())]).text(.openMetrics)
    #expect(Self.value("rltrace_loop_hitch_ratio", whole) == "0.2")
    let other = HandTrace(main: HandTrace.frames(5, isDeclared: false))
    let without = Self.exposition([try other.analysis(Self.options())]).text(.openMetrics)
    #expect(!without.contains("hitch") && !without.contains("frames"))
  }

  /// A hang is seen while it lasts, with its whole length.
  @Test func aHangUnderWay() throws {
    let trace = HandTrace(main: Self.hanging)
    let analysis = try trace.analysis(Self.options(from: 1_000_000, to: 1_400_000))
    let text = Self.exposition([analysis]).text(.openMetrics)
    #expect(Self.value("rltrace_loop_held_seconds", text) == "0.9")
    #expect(Self.value("rltrace_loop_hangs_total", text) == "0")
    #expect(Self.value("rltrace_loop_busy_ratio", text) == "1")
    // Without a pass that ended, there is no longest one.
    #expect(Self.value("rltrace_loop_longest_pass_seconds", text) == nil)
  }

  @Test func lossesAreToldFromUnseenSlots() throws {
    let analysis = try HandTrace(main: Self.hanging + "\n3000020 lostEvents count=7").analysis(Self.options())
    let text = Self.exposition([analysis], unseenSlots: 5).text(.openMetrics)
    #expect(Self.value("rltrace_lost_events_total", text) == "2")
    #expect(Self.value("rltrace_unseen_slots_total", text) == "5")
    // A lost event may have recorded that work ran.
    #expect(Self.value("rltrace_loop_waiting_work", text) == nil)
  }

  @Test func loopsBeyondTheLimitShareARow() throws {
    var many = try HandTrace(main: Self.hanging).analysis(Self.options())
    let (loop, mode) = (many.loops[0], many.modes[0])
    (many.loops, many.modes) = ([], [])
    for index in 0..<UInt32(Exposition.ownRows + 3) {
      var (loop, mode) = (loop, mode)
      loop.thread = ThreadDefinition(index: index, osThread: 0, isMain: false, name: "worker")
      mode.thread = index
      many.loops.append(loop)
      many.modes.append(mode)
    }
    let text = Self.exposition([many, many]).text(.openMetrics)
    #expect(Self.value("rltrace_loops_combined", text) == "3")
    let passes = text.split(separator: "\n").filter { $0.hasPrefix("rltrace_loop_passes_total{") }
    #expect(passes.count == Exposition.ownRows + 1 && Set(passes).count == passes.count)
    #expect(
      passes.last?.hasSuffix(#"thread="(other loops)",thread_index=""} 18"#) == true, "\(passes.last ?? "")")
  }

  @Test func poolsHaveNoRow() throws {
    var analysis = try HandTrace(main: Self.hanging).analysis(Self.options())
    analysis.loops[0].kind = .pool
    let text = Self.exposition([analysis]).text(.openMetrics)
    #expect(Self.value("rltrace_pool_threads", text) == "1" && !text.contains("rltrace_loop_busy"))
  }

  /// After the end, counters stay and nothing is under way.
  @Test func theEndOfARecording() throws {
    var exposition = Self.exposition([try HandTrace(main: Self.hanging).analysis(Self.options())])
    exposition.end()
    let text = exposition.text(.prometheus)
    #expect(Self.value("rltrace_recording_under_way", text) == "0")
    #expect(Self.value("rltrace_loop_passes_total", text) == "3")
    #expect(Self.value("rltrace_loop_busy_ratio", text) == nil)
  }
}
