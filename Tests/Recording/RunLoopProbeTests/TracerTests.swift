import CoreFoundation
import Foundation
import RunLoopTrace
import Scenario
import ScenarioRunners
import SystemSupport
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// The probe in this process, on its own threads.
@Suite struct TracerTests {
  /// Records what `body` does on a new thread.
  private func record(
    _ options: RecordingOptions = RecordingOptions(), _ body: @escaping @Sendable (RunLoopTracer) -> Void
  ) throws -> TraceReader {
    try RecordingTurn.take {
      let sink = MemorySink()
      let tracer = try RunLoopTracer.start(sink: sink, options: options)
      let thread = Thread {
        tracer.observe(CFRunLoopGetCurrent())
        body(tracer)
      }
      thread.start()
      while !thread.isFinished { usleep(1000) }
      _ = try tracer.stop()
      return try openTrace(sink.bytes)
    }
  }

  @Test func starvation() throws {
    var scenario = try ScenarioReader.read(try #require(ScenarioLibrary.text("timer-starvation")))
    scenario.isOnMain = false
    scenario.gestures[0].atNs = 200_000_000
    scenario.gestures[0].forNs = 400_000_000
    scenario.body = [.run(mode: ModeName.default, forNs: 800_000_000, returnsAfterSource: false)]
    let shorter = scenario
    let reader = try record { RealRecording.play(shorter, $0, peerCommand: []) }
    let analysis = try TraceAnalyzer(reader).analyze()
    func timer(_ name: String) throws -> (TimerResult, TimerLedgerResult) {
      let row = try #require(analysis.timers.first { $0.name == name })
      return (row, try #require(row.ledger))
    }
    let (plain, plainLedger) = try timer("refresh (default only)")
    #expect(plain.modes == [ModeName.default])
    // 0.4 s of tracking contain 40 points of a 10 ms timer.
    #expect(plainLedger.skippedBy[.wrongMode]! >= 36)
    #expect(plainLedger.wrongModeBy.map(\.mode) == [ModeName.tracking])
    for name in ["refresh (default + tracking)", "refresh (common)"] {
      let (row, ledger) = try timer(name)
      #expect(Set(row.modes) == [ModeName.default, ModeName.tracking])
      #expect(ledger.skippedBy[.wrongMode] == 0)
    }
    expectSumsToClose(analysis)
    let runs = analysis.modes.reduce(0) { $0 + $1.timeNs }
    #expect(runs == analysis.loops.reduce(0) { $0 + $1.timeNs })
  }

  @Test func frameSources() throws {
    let reader = try record { tracer in
      let timer = tracer.timer(name: "display", interval: 0.01) {}
      tracer.frames(timer)
      timer.add(mode: ModeName.default)
      tracer.run(seconds: 0.1)
      timer.invalidate()
    }
    let source = try #require(try TraceAnalyzer(reader).analyze().frames.sources.first)
    #expect(source.name == "display" && source.choice == .program && source.frames > 0)
  }

  /// Two threads, each with its own loop, and a source1 between them.
  @Test func loopsOnTwoThreads() throws {
    let reader = try record { tracer in
      let other = Thread {
        tracer.observe(CFRunLoopGetCurrent())
        tracer.timer(name: "other", interval: 0.005) {}.add(mode: ModeName.default)
        tracer.run(seconds: 0.1)
      }
      other.start()
      tracer.timer(name: "mine", interval: 0.005) {}.add(mode: ModeName.default)
      tracer.run(seconds: 0.1)
      while !other.isFinished { usleep(1000) }
    }
    let analysis = try TraceAnalyzer(reader).analyze()
    #expect(analysis.loops.count == 2)
    #expect(Set(analysis.timers.map(\.name)) == ["mine", "other"])
    #expect(Set(analysis.timers.compactMap(\.thread)).count == 2)
    expectSumsToClose(analysis)
  }

  /// Callouts that also emit signposts run once and are recorded. The signposts themselves need an Apple system.
  @Test func calloutsWithSignposts() throws {
    var options = RecordingOptions()
    options.signpostSubsystem = "rltrace.tests"
    options.signpostsCallouts = true
    let called = Locked<[String]>([])
    let reader = try record(options) { tracer in
      tracer.timer(name: "timer", interval: 0, firstFire: CFAbsoluteTimeGetCurrent()) {
        called.withLock { $0.append("timer") }
      }
      .add(mode: ModeName.default)
      let source = tracer.source0(name: "source") { called.withLock { $0.append("source") } }
      source.add(mode: ModeName.default)
      source.signal()
      tracer.perform(name: "block") { called.withLock { $0.append("block") } }
      tracer.run(seconds: 0.1)
    }
    #expect(called.withLock { $0 }.sorted() == ["block", "source", "timer"])
    let kinds = try reader.allEvents().joined().map(\.kind)
    for kind in [EventKind.timerBegin, .source0Begin, .blockBegin] {
      #expect(kinds.count { $0 == kind.rawValue } == 1 && kinds.count { $0 == kind.end.rawValue } == 1)
    }
  }

  /// CoreFoundation limits intervals to 504,911,232 s. For longer intervals, the trace has this limit.
  @Test func timesBeyondTheLimit() throws {
    let reader = try record { tracer in
      for interval in [Double.infinity, 1e300, -1] {
        tracer.timer(name: "timer", interval: interval, firstFire: CFAbsoluteTimeGetCurrent() + 1) {}
          .invalidate()
      }
      tracer.run(seconds: .infinity)
    }
    let events = try reader.allEvents().flatMap { $0 }
    func arguments(_ kind: EventKind, _ column: Int) -> [UInt64] {
      events.filter { $0.kind == kind.rawValue }.map { $0.arguments[column] }
    }
    let longest: UInt64 = 504_911_232_000_000_000
    #expect(arguments(.timerCreate, 1) == [longest, longest, 0])
    #expect(arguments(.runBegin, 0) == [.max])
  }

  /// A mode that is created while the loop runs is observed after the next Entry.
  @Test func modesCreatedLater() throws {
    let reader = try record { tracer in
      tracer.timer(name: "late", interval: 0.005) {}.add(mode: "born later")
      usleep(30_000)
      tracer.run(mode: "born later", seconds: 0.05)
    }
    let analysis = try TraceAnalyzer(reader).analyze()
    #expect(analysis.modes.contains { $0.mode == "born later" && $0.passes > 0 })
  }

  /// A recording of the real loop contains the starts and halts of a scenario's services.
  @Test func servicesOfAScenario() throws {
    let scenario = try ScenarioReader.read(
      """
      scenario: services
      loop: thread
      services: [{name: gps, every: 5ms, fixes: 2, then: [halt: gps]}]
      thread: [start: gps, start: gps, run: {for: 100ms}, start: gps]
      """)
    let reader = try record { RealRecording.play(scenario, $0, peerCommand: []) }
    let events = try reader.allEvents().flatMap { $0 }
    let begun = events.filter { $0.kind == EventKind.serviceBegin.rawValue }
    #expect(begun.map { reader.strings[UInt32($0.arguments[0])] } == ["gps", "gps"])
    #expect(
      events.filter { $0.kind == EventKind.serviceEnd.rawValue }.map(\.object)
        == begun.prefix(1).map(\.object))
  }

  /// Callouts have the names of their sources, and the thread that signals a source records the signal.
  @Test func signalFromAnotherThread() throws {
    let reader = try record { tracer in
      let source = tracer.source0(name: "message") {}
      source.add(mode: ModeName.default)
      let loop = LoopBox(loop: CFRunLoopGetCurrent())
      Thread {
        usleep(10_000)
        source.signal()
        tracer.wakeUp(loop.loop)
      }.start()
      tracer.run(seconds: 2, returnAfterSourceHandled: true)
    }
    let text = try dumpTrace(reader).split(separator: "\n")
    #expect(text.count { $0.contains(" source.signal ") } == 1)
    #expect(text.count { $0.contains(" source0.begin ") && $0.contains("\"message\"") } == 1)
  }

  /// Items that outlive their recording record nothing in the next one.
  @Test func twoRecordings() throws {
    try RecordingTurn.take {
      let done = DispatchSemaphore(value: 0)
      nonisolated(unsafe) var second: [UInt8] = []
      Thread {
        let first = MemorySink()
        let later = MemorySink()
        if let tracer = try? RunLoopTracer.start(sink: first) {
          let old = tracer.timer(name: "old", interval: 0.005) {}
          old.add(mode: ModeName.default)
          tracer.run(seconds: 0.02)
          _ = try? tracer.stop()
          if let next = try? RunLoopTracer.start(sink: later) {
            next.timer(name: "new", interval: 0.02) {}.add(mode: ModeName.default)
            tracer.wakeUp(CFRunLoopGetCurrent())
            old.add(mode: ModeName.tracking)
            next.run(seconds: 0.1)
            _ = try? next.stop()
          }
          old.invalidate()
        }
        second = later.bytes
        done.signal()
      }.start()
      done.wait()
      let analysis = try TraceAnalyzer(try openTrace(second)).analyze()
      #expect(analysis.timers.map(\.name) == ["new"])
      #expect((2...6).contains(analysis.timers.first?.fired ?? 0))
      #expect(analysis.modes.count { $0.passes > 0 } == 1)
      expectSumsToClose(analysis)
    }
  }

  @Test func timerIsWithdrawnWhenInvalidatedLate() throws {
    let reader = try record { tracer in
      let timer = tracer.timer(name: "doomed", interval: 0.01) {}
      timer.add(mode: "never run")
      tracer.timer(name: "clock", interval: 0.02) {}.add(mode: ModeName.default)
      tracer.run(seconds: 0.055)
      timer.invalidate()
    }
    let analysis = try TraceAnalyzer(reader).analyze()
    let ledger = try #require(analysis.timers.first { $0.name == "doomed" }?.ledger)
    #expect(ledger.withdrawn == 1)
    #expect(ledger.skipped >= 3)
    expectSumsToClose(analysis)
  }
}

private struct LoopBox: @unchecked Sendable { let loop: CFRunLoop }

/// Marks of the program itself.
@Suite struct ProgramMarksTests {
  @Test func marksPhasesAndTasks() throws {
    let sink = MemorySink()
    try RecordingTurn.take {
      let tracer = try RunLoopTracer.start(sink: sink)
      tracer.mark("here")
      for phase in LifePhase.allCases { tracer.lifeCycle(phase) }
      tracer.state("screen", "Feed")
      tracer.state("screen", "")
      let ended = tracer.beginBackgroundTask(name: "upload", budget: 30)
      let expired = tracer.beginBackgroundTask(name: "sync")
      ended.end()
      ended.expired()
      expired.expired()
      let location = tracer.beginService(name: "location")
      let radio = tracer.beginService(name: "radio")
      radio.end()
      radio.end()
      _ = try tracer.stop()
      location.end()
    }
    let reader = try openTrace(sink.bytes)
    #expect(reader.writer == Release.of("RunLoopTrace"))
    let events = try reader.allEvents().flatMap { $0 }
    func all(_ kind: EventKind) -> [TestEvent] { events.filter { $0.kind == kind.rawValue } }
    #expect(all(.mark).map { reader.strings[UInt32($0.arguments[0])] } == ["here"])
    #expect(all(.lifeCycle).map { $0.arguments[0] } == [1, 2, 3, 4, 5, 6, 7])
    #expect(
      all(.state).map { $0.arguments.map { reader.strings[UInt32($0)] ?? "none" } }
        == [["screen", "Feed"], ["screen", "none"]])
    let begun = all(.backgroundTaskBegin)
    #expect(begun.map { reader.strings[UInt32($0.arguments[0])] } == ["upload", "sync"])
    #expect(begun.map { $0.arguments[1] } == [30_000_000_000, 0])
    #expect(all(.backgroundTaskEnd).map(\.object) == [begun[0].object])
    #expect(all(.backgroundTaskExpired).map(\.object) == [begun[1].object])
    let services = all(.serviceBegin)
    #expect(services.map { reader.strings[UInt32($0.arguments[0])] } == ["location", "radio"])
    #expect(all(.serviceEnd).map(\.object) == [services[1].object])
  }

  /// Intervals that are nested, overlapping, left by an error, ended twice, ended on another thread, or never ended.
  @Test func intervals() throws {
    struct Stop: Error {}
    let sink = MemorySink()
    try RecordingTurn.take {
      let tracer = try RunLoopTracer.start(sink: sink)
      let answer = tracer.interval("outer") { tracer.interval("inner") { 42 } }
      #expect(answer == 42)
      #expect(throws: Stop.self) { try tracer.interval("thrown") { throw Stop() } }
      let first = tracer.beginInterval("overlap")
      let second = tracer.beginInterval("overlap")
      first.end()
      first.end()
      let thread = Thread { second.end() }
      thread.start()
      while !thread.isFinished { usleep(1000) }
      let never = tracer.beginInterval("never")
      _ = try tracer.stop()
      never.end()
    }
    let analysis = try TraceAnalyzer(try openTrace(sink.bytes)).analyze()
    let found = analysis.marks.intervals
    #expect(Set(found.map(\.name)) == ["outer", "inner", "thrown", "overlap", "never"])
    #expect(found.filter(\.isOpen).map(\.name) == ["never"])
    let outer = try #require(found.first { $0.name == "outer" })
    let inner = try #require(found.first { $0.name == "inner" })
    #expect(outer.startNs <= inner.startNs)
    #expect(outer.startNs + outer.durationNs >= inner.startNs + inner.durationNs)
    let overlap = found.filter { $0.name == "overlap" }
    #expect(overlap.count == 2 && overlap.contains { $0.thread != $0.endThread })
    #expect(analysis.marks.byName.first { $0.name == "overlap" }?.durationNs.count == 2)
    #expect(analysis.notes.filter { $0.text.contains("intervals") }.isEmpty)
  }

  /// The example in the documentation must equal the fixture, which the tests build and run.
  @Test func theDocumentedExample() throws {
    let source = try ProjectFiles.text("Tests/Fixtures/EmbeddedExample/main.swift")
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasPrefix("import") })
    let end = try #require(lines.firstIndex { $0.hasPrefix("try tracer.stop") })
    let example = lines[start...end].joined(separator: "\n")
    #expect(try ProjectFiles.text("docs/reference/recording.md").contains("```swift\n\(example)\n```"))
  }

  /// The manifest in the documentation must use this package's product and require the same systems. `tools/embedding`
  /// builds the documented package.
  @Test func theDocumentedManifest() throws {
    let page = try ProjectFiles.text("docs/reference/recording.md")
    let section = try #require(page.components(separatedBy: "\n## In an app\n").last)
    let manifest = try #require(section.components(separatedBy: "```swift\n").dropFirst().first)
    let folder = try TemporaryFolder()
    let text = try #require(manifest.components(separatedBy: "```").first)
    try text.write(toFile: folder.file("Package.swift"), atomically: true, encoding: .utf8)
    let dump = try Program(shell: "swift package dump-package").run([], folder: folder.path)
    try #require(dump.status == 0, "\(dump.errors)")
    #expect(dump.output.contains("\"RunLoopTrace\"") && dump.output.contains("/rltrace\""))
    let own = try ProjectFiles.text("Package.swift")
    #expect(own.contains(".library(name: \"RunLoopTrace\","))
    for floor in [".macOS(.v12)", ".iOS(.v15)", ".tvOS(.v15)", ".watchOS(.v8)"] {
      #expect(text.contains(floor) && own.contains(floor), "\(floor)")
    }
  }

  /// The documented example records itself. Under `rltrace record` it writes no trace of its own, and its events are in
  /// the trace of `rltrace record`.
  @Test func embeddedAndPreloaded() throws {
    let folder = try TemporaryFolder()
    let example = Program("embedded-example")
    let alone = try example.run([], folder: folder.path)
    #expect(alone.status == 0, "\(alone.errors)")
    let own = try Program.rltrace.run(["dump", folder.file("app.rltrace")]).output
    #expect(own.contains("\"refreshed\"") && own.contains("interval.begin") && own.contains("interval.end"))

    let inside = try TemporaryFolder()
    let recorded = try Program.rltrace.run(
      [
        "record", "-q", "-o", folder.file("outside.rltrace"), "--", example.path,
      ], folder: inside.path)
    #expect(recorded.status == 0, "\(recorded.errors)")
    #expect(inside.names.isEmpty && folder.names == ["app.rltrace", "outside.rltrace"], "no second trace")
    let dump = try Program.rltrace.run(["dump", folder.file("outside.rltrace")]).output
    for word in [
      "\"refreshed\"", "lifeCycle", "\"upload\"", "backgroundTask.end", "timer.begin", "\"location\"",
      "service.end", "\"import\"", "\"Feed\"", "interval.begin", "interval.end", "\"waits\"",
    ] {
      #expect(dump.contains(word), "\(word)")
    }
    #expect(!dump.contains("backgroundTask.expired"))
    // The tracer and the preloaded library do not both record a mark.
    let counts = [
      "interval.begin": 3, "interval.end": 3, "lifeCycle": 1, "backgroundTask.begin": 1,
      "backgroundTask.end": 1, "service.begin": 1, "service.end": 1, "state": 2,
    ]
    for (kind, count) in counts {
      #expect(dump.components(separatedBy: " \(kind) ").count == count + 1, "\(kind)")
    }
  }
}
