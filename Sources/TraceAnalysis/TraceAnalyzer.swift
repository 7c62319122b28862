import TraceFormat
import TraceReplay

/// Analyzes a trace in one pass over its events, in memory that does not grow with the trace.
public struct TraceAnalyzer {
  private let reader: TraceReader
  private let options: AnalysisOptions
  private let unit: UInt64

  /// Throws `.limit` for a trace whose times cannot be nanoseconds of this universe's programs.
  public init(_ reader: TraceReader, options: AnalysisOptions = AnalysisOptions()) throws(TraceFormatError) {
    self.reader = reader
    self.options = options
    unit = reader.header.timeUnit.nanoseconds
    // Two years: sums of a few such times stay within 64 bits.
    guard reader.lastTime <= (1 << 56) / unit else {
      throw .limit(offset: 0, block: nil, what: "a time of \(reader.lastTime) units is beyond two years")
    }
  }

  /// The analysis. `progress` is told the share of events done, 0...1, now and then.
  ///
  /// Throws when the trace cannot be read; damage that leaves the rest readable is in the result's notes.
  public func analyze(progress: ((Double) -> Void)? = nil) throws(TraceFormatError) -> Analysis {
    var replay = try Replay(reader, options: options.replay)
    let total = Double(max(reader.eventCount, 1))
    let end = min(options.to ?? .max, reader.lastTime)
    // What stands before the beginning restates what lived then, and is not counted.
    let from = max(options.from ?? 0, min(reader.beginning, end))
    var before: UInt64 = 0
    if from > 0 {
      try replay.run(until: from) { progress?(Double($0) / total) }
      before = replay.events
      replay.beginWindow(from)
    }
    let observer = options.observer.map(ObserverHolder.init)
    defer { withExtendedLifetime(observer) {} }
    replay.beginSpan(from: from, to: max(end, from), observer: observer?.link)
    try replay.run(until: options.to ?? .max) { progress?(Double(before + $0) / total) }
    replay.finish(end)

    var result = ResultBuilder(
      reader: reader, names: TraceNames(reader), unit: unit, profile: options.profile, from: from,
      to: max(end, from)
    ).build(replay)
    addNotes(&result, replay)
    result.verdict = Verdict(result)
    return result
  }

  private func addNotes(_ result: inout Analysis, _ replay: borrowing Replay) {
    result.damage = replay.stream.damage
    if result.trace.lostEvents > 0 {
      result.notes.append(
        "\(result.trace.lostEvents) events were lost while recording: numbers around them are lower bounds")
    }
    if reader.beginning > 0 {
      let dropped = reader.droppedEvents == 0 ? "what came" : "\(reader.droppedEvents) events"
      result.notes.append(
        "the recording kept its newest part: \(dropped) before \(seconds(reader.beginning)) s were dropped")
    }
    if let damage = reader.problem ?? replay.stream.damage {
      result.notes.append("the trace is not whole: \(damage)")
    }
    if result.trace.unknownEvents > 0 || result.trace.unknownBlocks > 0 {
      result.notes.append(
        "\(result.trace.unknownEvents) events and \(result.trace.unknownBlocks) blocks of kinds that this version does not know were skipped"
      )
    }
  }

  private func seconds(_ time: UInt64) -> String {
    let milliseconds = time / (1_000_000 / unit)
    return "\(milliseconds / 1000).\(String(1000 + milliseconds % 1000).dropFirst())"
  }
}
