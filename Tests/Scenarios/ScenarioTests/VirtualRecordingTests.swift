import CheckedYAML
import Scenario
import ScenarioRunners
import TestSupport
import Testing
import TraceAnalysis
import TraceReplay
import TraceFormat

/// Traces of scenarios in virtual time.
@Suite struct VirtualRecordingTests {
  static func scenario(_ name: String) throws -> Scenario {
    try ScenarioReader.read(try #require(ScenarioLibrary.text(name)))
  }

  static func trace(_ scenario: Scenario, unit: TimeUnit = .ns10) throws -> [UInt8] {
    let sink = MemorySink()
    _ = try VirtualRecording.record(scenario, sink: sink, unit: unit, codec: NoCodec())
    return sink.bytes
  }

  static func analysis(_ name: String, gapsFromMs: UInt64 = 250) throws -> Analysis {
    var options = AnalysisOptions()
    options.replay.gapThresholdNs = gapsFromMs * 1_000_000
    return try TraceAnalyzer(openTrace(trace(scenario(name))), options: options).analyze()
  }

  @Test(arguments: ScenarioLibrary.names)
  func theSameBytesEachTime(name: String) throws {
    let scenario = try Self.scenario(name)
    let bytes = try Self.trace(scenario)
    #expect(try Self.trace(scenario) == bytes)
    let reader = try openTrace(bytes)
    #expect(reader.isClean)
    expectSumsToClose(try TraceAnalyzer(reader).analyze())
  }

  @Test func seedsDecideRandomWork() throws {
    let scenario = try ScenarioReader.read(
      "scenario: x\ntimers: [{name: t, every: 10ms, do: [cpu: 1ms..9ms]}]\nthread: [run: {for: 200ms}]\n")
    func bytes(_ seed: UInt64) throws -> [UInt8] {
      let sink = MemorySink()
      _ = try VirtualRecording.record(scenario, seed: seed, sink: sink, unit: .ns10, codec: NoCodec())
      return sink.bytes
    }
    #expect(try bytes(1) == bytes(1))
    #expect(try bytes(1) != bytes(2))
    #expect(try openTrace(bytes(7)).info.contains(InfoEntry(key: "seed", value: "7")))
  }

  @Test func starvation() throws {
    func skipped(_ name: String) throws -> UInt64 {
      let timer = try #require(try Self.analysis(name).timers.first { $0.name == "refresh" })
      return try #require(timer.ledger).skipped
    }
    // Two seconds of tracking contain 200 points of a 10 ms timer; one of them fires afterwards.
    let alone = try skipped("starvation-default-only")
    #expect(alone == 199 || alone == 200)
    #expect(try skipped("starvation-tracking") == 0)
    #expect(try skipped("starvation-common") == 0)
  }

  /// Timers run after AfterWaiting, and sources after BeforeSources. Their gaps follow the same activities.
  @Test(arguments: [("stall-in-timer", Phase.afterWaiting), ("stall-in-source", .beforeSources)])
  func stalls(name: String, phase: Phase) throws {
    let gaps = try Self.analysis(name).gaps
    #expect(gaps.count >= 2)
    for gap in gaps {
      #expect(gap.after == phase)
      #expect(gap.durationNs >= 2_000_000_000 && gap.durationNs < 2_001_000_000)
      #expect(gap.callouts.first?.name == "sleeper")
    }
  }

  /// The semaphore monitor names the last activity before a stall, in a timer and in a source.
  @Test(arguments: [("stall-in-timer", "AfterWaiting"), ("stall-in-source", "BeforeSources")])
  func semaphoreMonitor(name: String, activity: String) throws {
    var options = AnalysisOptions()
    options.replay.detectors = [.semaphore1s]
    let analysis = try TraceAnalyzer(openTrace(Self.trace(Self.scenario(name))), options: options).analyze()
    let monitor = try #require(analysis.detectors.first)
    #expect(monitor.count == 2 && monitor.reports.count == 2)
    #expect(monitor.reports.allSatisfy { $0.what == activity && $0.callout == "sleeper" })
  }

  @Test func fiveCauses() throws {
    let gaps = try Self.analysis("five-causes").gaps
    #expect(gaps.count == 5)
    #expect(Set(gaps.compactMap { $0.callouts.first?.name }).count == 5)
    #expect(gaps.allSatisfy { $0.after == .afterWaiting && $0.durationNs == 400_000_000 })
  }

  /// The nested tracking run from the page on semantics. During it, the default timer fires 0 times and the common one
  /// 20 times; after it, they fire 11 and 10 times.
  @Test func nestedTracking() throws {
    let reader = try openTrace(try Self.trace(try ScenarioReader.read(ScenarioText.nestedTracking)))
    var fires: [String: [Int]] = [:]
    var part = 0
    var names: [UInt32: String] = [:]
    for event in try reader.allEvents().flatMap({ $0 }).sorted(by: { $0.time < $1.time }) {
      switch EventKind(event.kind) {
      case .timerCreate: names[event.object] = reader.strings[UInt32(event.arguments[0])]
      case .mark: part += 1
      case .timerBegin: fires[names[event.object] ?? "", default: [0, 0, 0]][part] += 1
      default: continue
      }
    }
    #expect(fires["default"] == [0, 0, 11])
    #expect(fires["common"] == [0, 20, 10])
  }

  /// The worker's source stays in its loop, which never runs. A loop that ran gives its items back.
  @Test func aWorkerThatNeverRunsItsLoop() throws {
    let analysis = try Self.analysis("delegate-without-loop")
    let loop = try #require(analysis.unrunLoops.first)
    #expect(loop.loop == "location" && loop.items.map(\.name) == ["location answers"])
    #expect(analysis.findings.map(\.rule) == [.loopNeverRan] && analysis.findings[0].severity == .warning)
    let ran =
      "scenario: x\nworkers: [{name: w, sources: [{name: s}], thread: [run: {for: 2s}]}]\nthread: [sleep: 3s]\n"
    let served = try TraceAnalyzer(openTrace(Self.trace(ScenarioReader.read(ran)))).analyze()
    #expect(!served.findings.contains { $0.rule == .loopNeverRan })
  }

  /// Continuous location updates, and the same in cycles.
  @Test func locationInCycles() throws {
    let continuous = try Self.analysis("location-continuous"), cycled = try Self.analysis("location-cycled")
    func wakes(_ analysis: Analysis) -> UInt64 { analysis.modes.map(\.wakes).reduce(0, +) }
    #expect(wakes(continuous) == 601 && wakes(cycled) == 44)
    #expect(
      continuous.lifeCycle.services.map(\.starts) == [1] && cycled.lifeCycle.services.map(\.starts) == [4])
    #expect(cycled.lifeCycle.services[0].onNs / 1_000_000_000 == 40)
    #expect(cycled.lifeCycle.tasks.map(\.outcome) == [.ended, .ended, .ended, .open])
    #expect(cycled.lifeCycle.unprotected.isEmpty && continuous.lifeCycle.unprotected.isEmpty)
    #expect(cycled.findings.isEmpty && continuous.findings.isEmpty)
  }

  /// The trace contains only changes: services that start while they are off, or halt while they are on, from
  /// any thread.
  @Test func services() throws {
    let text = """
      scenario: services
      loop: thread
      sources: [{name: s}]
      services:
        - {name: gps, every: 10ms, fixes: 2, then: [halt: gps]}
        - {name: radio, every: 1s}
      others:
        - {at: 5ms, do: [start: radio, start: radio]}
        - {at: 40ms, do: [halt: gps, start: gps]}
      thread:
        - start: gps
        - start: gps
        - halt: radio
        - run: {for: 50ms}
        - halt: radio
      """
    let reader = try openTrace(try Self.trace(try ScenarioReader.read(text)))
    #expect(reader.header.minor == FileHeader.minor)
    var names: [UInt32: String] = [:]
    let said = try reader.allEvents().flatMap { $0 }.filter {
      [EventKind.serviceBegin.rawValue, EventKind.serviceEnd.rawValue].contains($0.kind)
    }.sorted { ($0.time, $0.object) < ($1.time, $1.object) }.map { event in
      if event.kind == EventKind.serviceBegin.rawValue {
        names[event.object] = reader.strings[UInt32(event.arguments[0])]
      }
      let isBegin = event.kind == EventKind.serviceBegin.rawValue
      return "\(event.time / 100_000) \(names[event.object] ?? "") \(isBegin ? "on" : "off")"
    }
    #expect(said == ["0 gps on", "5 radio on", "20 gps off", "40 gps on", "50 radio off"])
  }

  /// The recorder reports a suspension. Only then does its thread exist.
  @Test func threadsAreIdentified() throws {
    func threads(_ step: String) throws -> TraceReader {
      try openTrace(
        try Self.trace(
          try ScenarioReader.read(
            "scenario: x\nothers: [{at: 1ms, do: [mark: other]}]\nthread: [run: {for: 5ms}, \(step)]\n")))
    }
    let plain = try threads("mark: over")
    #expect(plain.threads.values.map(\.osThread).sorted() == [1, 2])
    #expect(try plain.eventsOfTheRecorder().isEmpty)
    let suspended = try threads("suspend: 20s")
    #expect(suspended.threads.values.map(\.osThread).sorted() == [0, 1, 2])
    let events = try suspended.eventsOfTheRecorder()
    #expect(events.map(\.kind) == [EventKind.processStop.rawValue, EventKind.processContinue.rawValue])
    #expect(events.map(\.arguments) == [[19], [18]])
    #expect(events.last.map { $0.time - events[0].time } == 2_000_000_000)
    #expect(suspended.threads.values.filter(\.isMain).map(\.osThread) == [1])
  }

  /// Each loop has its own thread, on a common clock. A suspension stops both.
  @Test func workers() throws {
    let text = """
      scenario: two loops
      timers: [{name: tick, every: 10ms}]
      others: [{at: 25ms, do: [suspend: 1s]}]
      workers:
        - name: fetcher
          timers: [{name: fetch, every: 20ms, do: [cpu: 1ms]}]
          thread: [run: {for: 1100ms}]
      thread: [run: {for: 1100ms}]
      """
    let reader = try openTrace(try Self.trace(try ScenarioReader.read(text)))
    let analysis = try TraceAnalyzer(reader, options: AnalysisOptions()).analyze()
    let threads = analysis.trace.threads.filter { !$0.name.hasPrefix("(") && $0.name != "other threads" }
    #expect(threads.map(\.name) == ["main", "fetcher"] && threads.map(\.isMain) == [true, false])
    let fetch = try #require(analysis.timers.first { $0.name == "fetch" })
    #expect(fetch.thread == threads[1].index)
    #expect(analysis.trace.suspendedNs == 1_000_000_000)
    // Fires at 20 ms, late after the suspension, and every 20 ms from 1.04 to 1.1 s.
    #expect(fetch.fired == 6)
    #expect(fetch.ledger?.skippedBy[.suspended] == 49)
    #expect(analysis.timers.first { $0.name == "tick" }?.ledger?.skippedBy[.suspended] == 99)
  }

  @Test(arguments: [
    (
      "timers: [{name: a, every: 1s}]", "thread: [invalidate: a]",
      "'a' belongs to another loop, which no step here can reach"
    ),
    ("", "thread: [{main: []}]", "'main' needs the main loop; a worker has its own loop"),
  ])
  func workersCannotUseOtherLoops(items: String, thread: String, mistake: String) throws {
    let text = "scenario: x\n\(items)\nworkers:\n  - {name: w, \(thread)}\nthread: []\n"
    do throws(TextFileError) {
      _ = try ScenarioReader.read(text)
      Issue.record("was read: \(text)")
    } catch {
      #expect("\(error)".contains(mistake), "\(error)")
    }
  }

  @Test func aRunThatNeverEndsIsEnded() throws {
    let text = "scenario: x\nloop: thread\nsources: [{name: s}]\nthread: [run: default, mark: over]\n"
    let sink = MemorySink()
    let summary = try VirtualRecording.record(
      try ScenarioReader.read(text), sink: sink, unit: .ns10, codec: NoCodec())
    #expect(summary.waitedForever)
    #expect(try openTrace(sink.bytes).isClean)
  }
}
