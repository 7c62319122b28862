import TraceFacts
import TraceFormat
import TraceReplay
import TraceResults

/// Analyzes a trace in one pass over its events, in memory that does not grow with the trace.
public struct TraceAnalyzer {
  private let reader: TraceReader
  private let options: AnalysisOptions
  private let scale: TimeScale

  /// Throws `.limit` for a trace with times beyond two years.
  public init(_ reader: TraceReader, options: AnalysisOptions = AnalysisOptions()) throws(TraceFormatError) {
    self.reader = reader
    self.options = options
    scale = TimeScale(reader.header.timeUnit)
    guard Length(reader.lastTime) <= scale.length(ns: AnalysisLimits.timeNs) else {
      throw .limit(
        offset: 0, block: nil,
        what: "a time of \(reader.lastTime) units is beyond the limit of two years (timeNs)")
    }
  }

  /// Returns the analysis. `progress` receives the share of finished events, 0...1, from time to time.
  ///
  /// Throws when the trace cannot be read; damage that leaves the rest readable is in the result's notes.
  public func analyze(progress: ((Double) -> Void)? = nil) throws(TraceFormatError) -> Analysis {
    var replayOptions = options.replay
    replayOptions.followsAllFrames = replayOptions.followsAllFrames || !options.frameSources.isEmpty
    var replay = try Replay(reader, options: replayOptions)
    let total = Double(max(reader.eventCount, 1))
    let end = Moment(min(options.to ?? .max, reader.lastTime))
    // The events before the beginning restate the state at that moment and do not count.
    let from = max(Moment(options.from ?? 0), min(Moment(reader.beginning), end))
    var before: UInt64 = 0
    if from > .origin {
      try replay.run(until: from) { progress?(Double($0) / total) }
      before = replay.events
      replay.beginWindow(from, countsOpen: options.replay.countsOpenAtStart)
    }
    let split = options.splitState.map { StateSplit(of: $0, reader.strings, scale, from: from) }
    let asked: [(any FactSink)?] = [options.sink, split]
    let sinks = asked.compactMap(\.self)
    let receiver: (any FactSink)? = sinks.count > 1 ? FactSinks(sinks) : sinks.first
    let sink = receiver.map(SinkHolder.init)
    defer { withExtendedLifetime(sink) {} }
    replay.beginSpan(from: from, to: max(end, from), sink: sink?.link)
    try replay.run(until: options.to.map(Moment.init) ?? .never) { progress?(Double(before + $0) / total) }
    try replay.finish(end)
    split?.finish(max(end, from))

    return ResultBuilder(
      reader: reader, names: TraceNames(reader), scale: scale, profile: options.profile,
      stacks: options.stacks, frameSources: Set(options.frameSources.map(ShownName.of)), from: from,
      to: max(end, from)
    ).build(replay, split)
  }
}
