import JudgementReport
import PageReport
import ReportWriting
import TraceAnalysis
import TraceComparison
import TraceCompression
import TraceFormat
import TraceReplay
import WhatIf

/// A trace that is replayed with changes, and analyzed before and after.
struct WhatIfReplay {
  let predictor: Predictor
  private let reader: TraceReader
  let base: Analysis
  private let file: String

  /// A predicted trace with its comparison.
  struct Predicted {
    let bytes: [UInt8]
    let comparison: Comparison
    let report: WhatIfReport
  }

  /// Replays the trace without a change. Throws if the replay differs from the recording by more than the tolerance;
  /// nil = the standard tolerance.
  init(_ reader: TraceReader, _ base: Analysis, file: String, toleranceNs: UInt64?) throws(WhatIfError) {
    self.reader = reader
    self.base = base
    self.file = file
    let progress = AnalysisProgress(file: file, what: "replaying")
    defer { progress.finish() }
    predictor = try Predictor(reader, names: ShownName.of) { progress.update($0) }
    let tolerance = toleranceNs ?? Self.standardToleranceNs(base)
    guard predictor.residueNs <= tolerance else {
      throw .undecided(
        "without a change, callouts of the replay begin up to \(Units.duration(predictor.residueNs)) (p99) before or "
          + "after their recorded times, and at most \(Units.duration(tolerance)) is accepted. "
          + "--tolerance \(predictor.residueNs / 1_000_000 + 1)ms accepts it")
    }
  }

  /// A tenth of the time in which the loops are busy, at least half a frame at 60 Hz. Threads wake milliseconds late on
  /// a busy machine, and callouts change places, which the ranges of the prediction show.
  private static func standardToleranceNs(_ base: Analysis) -> UInt64 {
    max(FindingLimits.longWhileTrackingNs, base.loops.map(\.busyNs).saturatedSum / 10)
  }

  func predict(_ changes: [Change]) throws(WhatIfError) -> Predicted {
    let (bytes, prediction) = try trace(changes)
    let analysis = try analyze(bytes)
    let others = try range(changes, prediction)
    let comparison = Comparison(
      base: base, new: analysis, gapThresholdNs: ReplayOptions().gapThresholdNs, relevant: .standard)
    let report = WhatIfReport(
      file: file, changes: changes, fidelity: predictor.fidelity, prediction: prediction,
      figures: PredictedFigures.all(base, analysis, others: others, prediction.bounds),
      comparison: comparison)
    return Predicted(bytes: bytes, comparison: comparison, report: report)
  }

  /// Returns the other predictions that the recording allows.
  private func range(_ changes: [Change], _ prediction: Prediction) throws(WhatIfError) -> [Analysis] {
    var others: [Analysis] = []
    for alternative in prediction.alternatives {
      others.append(try analyze(try trace(changes, as: alternative).bytes))
    }
    return others
  }

  private func trace(
    _ changes: [Change], as alternative: Alternative? = nil
  ) throws(WhatIfError) -> (bytes: [UInt8], prediction: Prediction) {
    let sink = MemorySink()
    let prediction = try predictor.predict(
      changes, as: alternative, to: sink, codec: allCodecs(.zstd) ?? NoCodec())
    return (sink.bytes, prediction)
  }

  private func analyze(_ bytes: [UInt8]) throws(WhatIfError) -> Analysis {
    var options = AnalysisOptions()
    options.frameSources = framesOfReader
    do throws(TraceFormatError) {
      return try TraceAnalyzer(Self.reader(bytes), options: options).analyze()
    } catch {
      throw .trace(error)
    }
  }

  /// The frame sources that the user named for the recording.
  private var framesOfReader: [String] {
    base.frames.sources.filter { $0.choice == .reader }.flatMap { source in
      base.timers.filter { $0.classes.contains(source.timer) }.flatMap(\.names)
    }
  }

  private static func reader(_ bytes: [UInt8]) throws(TraceFormatError) -> TraceReader {
    try TraceReader(source: MemorySource(bytes), codecs: allCodecs, longNames: ShownName.whileReading)
  }

  // MARK: The page

  /// Returns a page that compares recording and prediction.
  func page(_ predicted: Predicted) throws -> String {
    let sides = try [(file, reader), ("prediction", try Self.reader(predicted.bytes))].map { name, reader in
      let timeline = TimelineBuilder(reader)
      var options = AnalysisOptions()
      options.sink = timeline
      options.frameSources = framesOfReader
      let analysis = try TraceAnalyzer(reader, options: options).analyze()
      return ComparisonPage.Side(file: name, Glance(analysis, timeline, TraceNames(reader)))
    }
    return try ComparisonPage(predicted.comparison).html(sides[0], sides[1])
  }

  // MARK: Ranking

  /// Tries the changes that the trace suggests: starving timers go into the common modes, and long callouts become
  /// short.
  func ranking() -> WhatIfReport {
    let progress = AnalysisProgress(file: file, what: "trying changes for")
    defer { progress.finish() }
    let functions = CalloutFunctions(base)
    let suggested = Self.suggestions(base)
    var entries: [WhatIfRanking.Entry] = []
    for (number, suggestion) in suggested.enumerated() {
      progress.update(Double(number) / Double(suggested.count))
      var entry: WhatIfRanking.Entry
      do throws(WhatIfError) {
        let (prediction, figures) = try tried([suggestion.change])
        entry = .init(change: suggestion.change, isExact: prediction.doubts.isEmpty, figures)
      } catch {
        entry = .init(change: suggestion.change, undecided: error.reason)
      }
      entry.function = suggestion.callout.flatMap { functions[$0] }
      entries.append(entry)
    }
    return WhatIfReport(file: file, fidelity: predictor.fidelity, WhatIfRanking(entries))
  }

  /// Predicts changes, and returns the numbers before and after. `withRange`: also predicts their ranges.
  func tried(_ changes: [String], withRange: Bool = false) throws(WhatIfError) -> (
    prediction: Prediction, figures: [PredictedFigure]
  ) {
    var read: [Change] = []
    for text in changes { read.append(try ChangeParser.read(text)) }
    let (bytes, prediction) = try trace(read)
    let others = withRange && prediction.bounds == .certain ? try range(read, prediction) : []
    return (
      prediction, PredictedFigures.all(base, try analyze(bytes), others: others, prediction.bounds)
    )
  }

  /// The maximum number of callouts to try shortening: those with the longest single durations.
  private static let triedCallouts = 20

  /// A change to try, and the callout that it shortens, with its kind and name; nil = it is about modes.
  private struct Suggestion {
    var change: String
    var callout: String?
  }

  /// Returns the changes to try, each once.
  private static func suggestions(_ base: Analysis) -> [Suggestion] {
    let starving = base.timers.flatMap(SuggestedChanges.modes).map { Suggestion(change: $0) }
    let long = base.callouts.filter {
      $0.longestNs > SuggestedChanges.shortNs && !$0.isRemainder && !$0.name.isEmpty
        && $0.kind != CalloutKind.mainQueueDrain.rawValue
    }
    .ordered { $0.longestNs > $1.longestNs }.prefix(triedCallouts)
    let short = long.compactMap { callout in
      CalloutKind(rawValue: callout.kind).flatMap { SuggestedChanges.short($0, callout.name) }
        .map { Suggestion(change: $0, callout: "\(callout.kind) \(callout.name)") }
    }
    var seen: Set<String> = []
    return (starving + short).filter { seen.insert($0.change).inserted }
  }
}
