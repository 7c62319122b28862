import CallStacks
import TestSupport
import Testing
import TraceAnalysis
import TraceFacts
import TraceFormat
import TraceImport
import TraceReplay

/// Traces that are written in the form of `xctrace export` and imported again.
@Suite struct RoundTripTests {
  static let thread = "Main Thread|77|Round & \"Trip\"|4711"

  /// The runs, passes and waits of a trace in nanoseconds, in the order of begins, outer ones first.
  /// `apart`: each begin and end has a time of its own, in the order of the trace.
  private func intervals(_ bytes: [UInt8], apart: Bool = false) throws -> (
    list: [WrittenInterval], analysis: Analysis
  ) {
    let reader = try openTrace(bytes)
    let collector = FactCollector(wantsBegins: true)
    var options = AnalysisOptions()
    options.sink = collector
    let analysis = try TraceAnalyzer(reader, options: options).analyze()
    let unit = reader.header.timeUnit.nanoseconds
    let names = TraceNames(reader)
    var list: [WrittenInterval] = []
    var open: [UInt32: [Int]] = [:]
    func end(_ thread: UInt32, _ kind: WrittenInterval.Kind, at time: UInt64, _ later: UInt64) {
      guard let place = open[thread]?.lastIndex(where: { list[$0].kind == kind }), let opened = open[thread]
      else {
        return
      }
      for inner in opened[place...] { list[inner].end = time * unit + later }
      open[thread] = Array(opened[..<place])
    }
    var step: UInt64 = 1_000
    for fact in collector.facts {
      // A pass ends with the event that comes next.
      switch fact {
      case .begin(let span): if case .callout = span.what { continue }; step += 1
      case .wait, .run: step += 1
      case .pass: break
      default: continue
      }
      var later = apart ? step : 0
      if apart, case .pass = fact { later += 1 }
      switch fact {
      case .begin(let span):
        let kind: WrittenInterval.Kind
        switch span.what {
        case .run: kind = .run
        case .pass: kind = .iteration
        case .wait: kind = .wait
        case .callout: continue
        }
        let isMain = reader.threads[span.thread]?.isMain ?? false
        let runs = open[span.thread, default: []].count { list[$0].kind == .run }
        open[span.thread, default: []].append(list.count)
        list.append(
          WrittenInterval(
            kind: kind, level: kind == .run ? runs + 1 : runs, start: span.start * unit + later,
            end: span.start * unit + later,
            mode: names.mode(ModeID(span.mode)),
            thread: isMain ? Self.thread : worker(reader.threads[span.thread]),
            isMain: isMain))
      case .pass(let pass): end(pass.thread, .iteration, at: pass.end, later)
      case .wait(let wait): end(wait.thread, .wait, at: wait.end, later)
      case .run(let run): end(run.thread, .run, at: run.end, later)
      default: break
      }
    }
    return (list, analysis)
  }

  /// The id of a worker stays the same in the imported trace.
  private func worker(_ thread: ThreadDefinition?) -> String {
    "worker|\(thread?.osThread ?? 0)|Round & \"Trip\"|4711"
  }

  private func imported(_ document: String) throws -> [UInt8] {
    var recording = InstrumentsRecording()
    try read(document, into: &recording)
    let process = try #require(recording.processes.first)
    let sink = MemorySink()
    _ = try InstrumentsTrace.write(recording, of: process, to: sink, codec: NoCodec())
    return sink.bytes
  }

  /// Reports the first difference only.
  private func expectEqual(
    _ found: [WrittenInterval], _ expected: [WrittenInterval],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(found.count == expected.count, sourceLocation: sourceLocation)
    for (one, other) in zip(found, expected) where one != other {
      #expect(one == other, sourceLocation: sourceLocation)
      return
    }
  }

  private static let samples = SampleTraces.analyzable.filter { $0.hasPrefix("virtual/") }

  /// Begins and ends at equal times keep their order, so the table of events gives all numbers of the original.
  @Test(arguments: samples) func eventsGiveTheNumbersOfTheOriginal(name: String) throws {
    let (list, original) = try intervals(try ProjectFiles.bytes("SampleTraces/\(name)"))
    // An import uses time 0 for a begin that was not recorded.
    let shifted = list.map { interval in
      var interval = interval
      interval.start += 1_000
      interval.end += 1_000
      return interval
    }
    let (back, analysis) = try intervals(try imported(WrittenInterval.document(events: shifted)))
    #expect(analysis.trace.contradictions == 0)
    #expect(analysis.loops.map(\.passes) == original.loops.map(\.passes))
    #expect(analysis.loops.map(\.runs) == original.loops.map(\.runs))
    // The export does not show suspensions, so suspended time counts like any other time.
    guard original.trace.suspendedNs == 0 else { return }
    expectEqual(back, shifted)
    #expect(analysis.loops.map(\.timeNs) == original.loops.map(\.timeNs))
    #expect(analysis.loops.map(\.waitingNs) == original.loops.map(\.waitingNs))
    for mode in original.modes {
      let same = try #require(analysis.modes.first { $0.mode == mode.mode && $0.thread == mode.thread })
      #expect(same.timeNs == mode.timeNs)
      #expect(same.waitingNs == mode.waitingNs)
      #expect(same.passNs.sum == mode.passNs.sum)
    }
    #expect(analysis.busy.map(\.durationNs).sorted() == original.busy.map(\.durationNs).sorted())
    // The original rounds to its time unit.
    let delays = [analysis, original].map { ($0.inputDelay?.delay.p99 ?? 0) / original.trace.timeUnitNs }
    #expect(max(delays[0], delays[1]) - min(delays[0], delays[1]) <= 1)
  }

  /// Without equal times, both tables give the same trace.
  @Test(arguments: samples) func bothTablesGiveTheSameTrace(name: String) throws {
    let (list, _) = try intervals(try ProjectFiles.bytes("SampleTraces/\(name)"), apart: true)
    var random = SeededGenerator(named: name)
    let fromEvents = try intervals(try imported(WrittenInterval.document(events: list))).list
    let fromIntervals = try intervals(
      try imported(WrittenInterval.document(intervals: list.shuffled(using: &random)))
    ).list
    expectEqual(fromEvents, list)
    expectEqual(fromIntervals, fromEvents)
  }

  /// The stacks of a recording, exported as Instruments samples every 5 ms, blame the same functions and images.
  @Test func stallsAreBlamedAsInTheOriginal() throws {
    let (list, original) = try intervals(try ProjectFiles.bytes("SampleTraces/real/stalls.rltrace"))
    var text = InstrumentsText()
    text.begin(
      "time-profile",
      [
        ("stack", "tagged-backtrace"), ("weight", "weight"), ("thread", "thread"), ("time", "sample-time"),
      ])
    let stacks = Dictionary(original.sampledStacks.map { ($0.number, $0.frames) }) { first, _ in first }
    let main = original.trace.threads.first { $0.isMain }?.index
    for stall in original.stalls where stall.thread == main {
      for sample in stall.stacks {
        let stack = (stacks[sample.number] ?? []).filter { !$0.isInlined }.enumerated().map(Self.frame)
        for time in stride(from: sample.startNs, to: sample.startNs + sample.durationNs, by: 5_000_000) {
          text.row([
            "stack": stack.joined(separator: "\n"), "weight": "5000000", "thread": Self.thread,
            "time": "\(time)",
          ])
        }
      }
    }
    var recording = InstrumentsRecording()
    try read(text.end(), into: &recording)
    try read(WrittenInterval.document(events: list), into: &recording)
    let sink = MemorySink()
    _ = try InstrumentsTrace.write(
      recording, of: try #require(recording.processes.first), to: sink, codec: NoCodec())
    let (_, analysis) = try intervals(sink.bytes)
    let blamed = original.stalls.filter { $0.thread == main && $0.blamed?.isInlined == false }
    #expect(!blamed.isEmpty)
    for stall in blamed {
      let found = analysis.stalls.first {
        $0.startNs < stall.startNs + stall.durationNs && stall.startNs < $0.startNs + $0.durationNs
      }
      #expect(found?.blamed?.symbol == stall.blamed?.symbol)
      #expect(found?.blamed?.imagePath == stall.blamed?.imagePath)
    }
  }

  private static func frame(_ place: Int, _ frame: StackFrame) -> String {
    // An address in the trace lies within the call instruction, an address in an exported stack after it.
    let address = (frame.address ?? 0) + (place == 0 ? 0 : 1)
    let base = (frame.address ?? 0) - (frame.imageOffset ?? 0)
    let image = frame.imagePath.map { "\($0)||0x\(String(base, radix: 16))" } ?? "||"
    return "0x\(String(address, radix: 16))|\(image)|\(frame.symbol ?? "0x0")"
  }
}

/// Reads a document into the recording.
func read(_ document: String, into recording: inout InstrumentsRecording) throws(ImportError) {
  try read(Array(document.utf8), into: &recording)
}

func read(_ bytes: [UInt8], into recording: inout InstrumentsRecording) throws(ImportError) {
  var rest = bytes[...]
  try recording.read { buffer in
    // Small pieces, so that some names and numbers continue in the next piece.
    let piece = rest.prefix(min(buffer.count, 37))
    buffer.copyBytes(from: piece)
    rest = rest.dropFirst(piece.count)
    return piece.count
  }
}

/// Returns why a document cannot be imported, or "none".
func problem(_ document: String) -> String {
  var recording = InstrumentsRecording()
  do throws(ImportError) {
    try read(document, into: &recording)
    return "none"
  } catch { return "\(error)" }
}
