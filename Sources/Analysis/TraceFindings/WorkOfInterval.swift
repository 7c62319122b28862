import TraceResults
import TraceFormat

/// The work that took the time of a busy interval, in words.
struct WorkOfInterval {
  private let interval: BusyInterval
  private let level: CaptureLevel
  /// The stall that explains it, if one does.
  let stall: StallResult?
  /// The shares of the thread if it lacked a processor, whether or not its function is known.
  private let lack: ProcessorShare?
  /// The callout with the most time of its own.
  private let first: SpanCalloutResult?
  /// The longest of its callouts, if it alone took at least half of their time.
  private let longestNs: UInt64?
  private let hasStacks: Bool
  private let isOfEventLoop: Bool

  init(_ interval: BusyInterval, _ analysis: Analysis) {
    self.interval = interval
    level = analysis.trace.captureLevel
    hasStacks = !analysis.stalls.isEmpty
    isOfEventLoop = analysis.eventLoop(of: interval.thread) != nil
    let end = interval.endNs
    let longest = analysis.stall(of: interval)
    stall = longest.flatMap { $0.isExplained ? $0 : nil }
    lack = longest?.processorLack
    let first = interval.callouts.first { $0.selfNs > 0 }
    self.first = first
    // The longest callout of all is known, but not the longest one of each interval.
    let longestCallout = analysis.callouts.first { row in
      row.thread == interval.thread && row.kind == first?.kind && row.name == first?.name
        && row.longestStartNs >= interval.startNs && row.longestStartNs < end
    }
    longestNs = longestCallout.flatMap { row in
      isAtLeast(row.longestNs, 0.5, of: first?.selfNs ?? 0) ? row.longestNs : nil
    }
  }

  private var isMostlyNamed: Bool { isAtLeast(interval.calloutNs, 0.5, of: interval.hangLengthNs) }

  /// The callout with the most time of its own, if callouts account for at least half of the interval.
  var culprit: SpanCalloutResult? { isMostlyNamed ? first : nil }

  /// Whether the callouts of the culprit are short: on average, one alone is not a hang.
  private var isMadeOfShortOnes: Bool {
    guard let first else { return false }
    return longestNs == nil && first.selfNs / max(first.count, 1) < BusyClass.hangNs
  }

  /// The blamed function according to sampled stacks.
  var blame: Sentence { stall?.blame(within: culprit?.selfNs) ?? lack?.sentence ?? "" }

  /// The cause as the words after the length; empty = not known.
  var cause: Sentence {
    guard let stall, stall.cause != .unknown else { return "" }
    return ", cause: \(stall.cause.words)"
  }

  var sentence: Sentence {
    if isOfEventLoop, culprit == nil { return EventLoopWords.unknownWork }
    guard level.seesCallouts else { return "the recording has no callouts" }
    guard interval.calloutNs > 0 else { return "recorded callouts took none of it" }
    guard isMostlyNamed, let first else {
      return "recorded callouts took only \(ns: interval.calloutNs, "callouts_ns") of it"
    }
    let who = Phrase.callout(first.kind, first.name)
    var times: Sentence = first.count > 1 ? " in \(count: first.count, "culprit_count") callouts" : ""
    if let longestNs, first.count > 1 { times = "\(times), \(ns: longestNs, "longest_ns") in one of them" }
    if isAtLeast(first.selfNs, 0.5, of: interval.hangLengthNs) {
      return "\(who) took \(ns: first.selfNs, "culprit_self_ns") of it\(times)"
    }
    return
      "\(count: interval.calloutCount, "callout_count", "callout", "callouts") took \(ns: interval.calloutNs, "callouts_ns") of it. \(who) took the most, \(ns: first.selfNs, "culprit_self_ns")\(times)"
  }

  var advice: Sentence {
    if lack != nil { return ProcessorShare.advice }
    if isMostlyNamed {
      return isMadeOfShortOnes
        ? "Short callouts ran one after another without a wait. Do less in them, or let the loop wait in between."
        : WorkOfInterval.moveIt
    }
    if isOfEventLoop { return EventLoopWords.moveWork }
    if level == .imported {
      if stall?.holder != nil { return WorkOfInterval.moveIt }
      return hasStacks
        ? "Instruments does not record callouts, and the imported stacks blame no function. Record the app with rltrace."
        : "Instruments does not record callouts. Record the app with rltrace, or import its table time-profile."
    }
    return level == .activities
      ? "Record callouts (a level above activities) to see which of them took the time."
      : "The run loop itself, or work without a recorded callout, took the rest. Sampled stacks or a profiler show which."
  }

  private static let moveIt: Sentence = "Move that work off the thread, or split it into smaller pieces."
}
