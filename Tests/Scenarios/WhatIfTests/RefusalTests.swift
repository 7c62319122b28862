import Scenario
import ScenarioRunners
import TestSupport
import Testing
import TraceFormat
import WhatIf

/// Changes that cannot be predicted are refused with a reason.
@Suite struct RefusalTests {
  private static let scenario = """
    scenario: refusals
    common modes: [tracking]
    timers:
      - {name: once, first: 10ms, do: [cpu: 1ms]}
      - {name: mover, every: 10ms, do: [cpu: 1ms, reschedule: {timer: mover, in: 5ms}]}
      - {name: nester, every: 50ms, do: [run: {mode: tracking, for: 5ms}]}
      - {name: signaller, every: 30ms, do: [cpu: 1ms, signal: input]}
      - {name: plain, every: 10ms, do: [cpu: 1ms]}
    sources:
      - {name: input, do: [cpu: 1ms]}
      - {name: silent, do: [cpu: 1ms]}
    thread:
      - main: [cpu: 1ms]
      - run: {for: 200ms}
    """

  private func predictor(_ text: String = scenario) throws -> Predictor {
    let sink = MemorySink()
    _ = try VirtualRecording.record(ScenarioReader.read(text), sink: sink, unit: .ns1, codec: NoCodec())
    return try Predictor(openTrace(sink.bytes))
  }

  private func reason(_ predictor: Predictor, _ change: String) throws -> String? {
    do throws(WhatIfError) {
      _ = try predictor.predict([try ChangeParser.read(change)], to: MemorySink(), codec: NoCodec())
      return nil
    } catch {
      guard case .undecided(let reason) = error else { throw error }
      return reason
    }
  }

  @Test(arguments: [
    ("timer once every 20ms", "fires only once"), ("timer mover in common", "moves the timer"),
    ("timer nester in common", "runs the loop"),
    ("block \"main-queue block\" in default", "which has no modes"), ("split nester at 1ms", "runs the loop"),
    ("callout nester off the loop", "must stay on the loop"), ("remove signaller", "signal \"input\""),
    ("source silent at most 60 per second", "no signals of the source"),
  ])
  func refused(change: String, because: String) throws {
    let reason = try #require(try reason(predictor(), change))
    #expect(reason.contains(because), "\(reason)")
  }

  /// Event loops have no runs that could be replayed.
  @Test func eventLoops() throws {
    let main = "0 loop.create m1 #1 name=1 kind=1\n" + HandTrace.asleep
    let text = HandTrace(main: main).text().replacing("minor=0", with: "minor=2")
    let reader = try openTrace(assembleTrace(text))
    do throws(WhatIfError) {
      _ = try Predictor(reader)
      Issue.record("a prediction for an event loop")
    } catch {
      #expect(error.reason.contains("event loops are not replayed"), "\(error.reason)")
    }
  }

  /// Work of queues is not replayed, but the run loop of the same trace is.
  @Test func queues() throws {
    let sink = MemorySink()
    _ = try VirtualRecording.record(
      ScenarioReader.read(Self.scenario), sink: sink, unit: .ns1, codec: NoCodec())
    var lines = try dumpTrace(openTrace(sink.bytes)).split(separator: "\n").map(String.init)
    let end = try #require(lines.lastIndex(of: "end"))
    let events = [
      "5 queue.create #500 name=900 kind=0 width=1", "6 work.create #501 name=901 kind=0 queue=500",
      "7 work.begin #501 queue=500", "12 work.end #501", "20 work.create #501 name=902 kind=0 queue=500",
    ]
    lines.insert(
      contentsOf: [
        "strings", "  900 \"db\"", "  901 \"save\"", "  902 \"load\"", "threads",
        "  9 os=99 main=no \"worker\"", "events thread=9",
      ] + events.map { "  " + $0 }, at: end)
    let predictor = try Predictor(openTrace(assembleTrace(lines.joined(separator: "\n"))))
    #expect(try reason(predictor, "callout plain takes 2ms") == nil)
    for (name, words) in [("save", "work of a queue"), ("load", "work of a queue"), ("db", "a queue")] {
      let reason = try #require(try reason(predictor, "callout \(name) takes 2ms"))
      #expect(reason.hasSuffix(": it is \(words), and only run loops are replayed"), "\(reason)")
    }
    let alone = QueueTrace(threads: ["10 work.create #10 name=5 kind=0 queue=2"])
    let reader = try openTrace(assembleTrace(alone.text))
    do throws(WhatIfError) {
      _ = try Predictor(reader)
      Issue.record("a prediction for a queue")
    } catch {
      #expect(error.reason.contains("queues are not replayed"), "\(error.reason)")
    }
  }

  /// Without one of its signals, it is not known when the source was signalled.
  @Test func signalsThatWereNotRecorded() throws {
    let change = "source input at most 60 per second"
    #expect(try reason(predictor(), change) == nil)
    let sink = MemorySink()
    _ = try VirtualRecording.record(
      ScenarioReader.read(Self.scenario), sink: sink, unit: .ns1, codec: NoCodec())
    var lines = try dumpTrace(openTrace(sink.bytes))
      .split(separator: "\n", omittingEmptySubsequences: false)
    lines.remove(at: try #require(lines.firstIndex { $0.contains(" source.signal ") }))
    let text = lines.joined(separator: "\n")
    let predictor = try Predictor(
      openTrace(assembleTrace(text)))
    let reason = try #require(try reason(predictor, change))
    #expect(
      reason.contains("1 of 6 callouts of the source answer signals that were not recorded"), "\(reason)")
  }

  @Test func others() throws {
    let predictor = try predictor()
    for change in [
      "timer plain in common", "callout signaller takes 2ms", "remove plain", "split plain at 400us",
    ] {
      #expect(try reason(predictor, change) == nil)
    }
  }

  @Test func unknownNames() throws {
    let predictor = try predictor()
    #expect(throws: WhatIfError.self) {
      try predictor.predict([ChangeParser.read("timer plane in common")], to: MemorySink(), codec: NoCodec())
    }
  }

  @Test func aLoopThatWouldNeverWait() throws {
    let text = """
      scenario: endless
      timers:
        - {name: tick, every: 1s, do: []}
      thread:
        - run: {for: 100s}
      """
    let reason = try reason(predictor(text), "timer tick every 1ns")
    #expect(reason?.contains("never waits") == true, "\(reason ?? "predicted")")
  }
}
