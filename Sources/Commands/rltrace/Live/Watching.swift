import Foundation
import TextReport
import TraceAnalysis
import TraceFormat

/// The loop of the command: reads the recording, analyzes the newest span, and shows it.
struct Watching {
  let source: any WatchSource
  let options: AnalysisOptions
  let intervalNs: UInt64

  /// Analyzes the span from `start`, in time units, or the newest `spanNs` if `start` is nil.
  private func analyze(from start: UInt64? = nil, spanNs: UInt64) throws(Failure) -> (Analysis, now: UInt64) {
    let (reader, now) = try source.current()
    var options = options
    options.selectNewest(spanNs, from: start, until: now, in: reader)
    var analysis: Analysis
    do throws(TraceFormatError) { analysis = try TraceAnalyzer(reader, options: options).analyze() } catch {
      throw .reading(source.status.name, error)
    }
    // The analysis measures an open callout from the start of the span, even if the callout began earlier.
    for place in analysis.openCallouts.indices where analysis.openCallouts[place].depth == 0 {
      guard let since = source.openCallouts[analysis.openCallouts[place].thread] else { continue }
      analysis.openCallouts[place].began(at: since &* reader.header.timeUnit.nanoseconds)
    }
    analysis.work.beginningNs = reader.beginning &* reader.header.timeUnit.nanoseconds
    return (analysis, now)
  }

  private func next(after due: UInt64, begun: UInt64) -> UInt64 {
    WatchTimes.next(after: due, begun: begun, intervalNs: intervalNs)
  }

  /// Shows the screen until the user quits, the recording ends or `deadline` is reached.
  func show(on terminal: RawTerminal, isColoured: Bool, until deadline: UInt64?) throws -> WatchEnd {
    terminal.enter()
    defer { terminal.leave() }
    var choices = WatchChoices()
    var message = ""
    var shown: (analysis: Analysis, status: WatchStatus)?
    var nextNs = WatchTimes.now()
    while true {
      let end = source.staysAtEnd ? nil : source.update()
      var isStale = terminal.takeResize()
      let now = WatchTimes.now()
      if now >= nextNs || shown == nil || end != nil {
        if !choices.isPaused || shown == nil || end != nil {
          shown = (try analyze(spanNs: choices.spanNs).0, source.status)
        }
        nextNs = next(after: nextNs, begun: now)
        isStale = true
      }
      for key in terminal.keys(withinNs: isStale ? 0 : min(WatchTimes.lookNs, nextNs &- min(now, nextNs))) {
        let spanNs = choices.spanNs
        message = ""
        switch choices.take(key) {
        case .quit: return .quit
        case .snapshot: message = "wrote \(try source.writeSnapshot())"
        case .none: break
        }
        if choices.spanNs != spanNs, !choices.isPaused {
          shown = (try analyze(spanNs: choices.spanNs).0, source.status)
        }
        isStale = true
      }
      if isStale, let shown {
        var status = shown.status
        if choices.isPaused { status.note = "paused" }
        let (width, height) = terminal.size
        var lines = WatchScreen(
          shown.analysis, status, choices, width: width, height: height, isColoured: isColoured
        ).lines()
        if !message.isEmpty { lines[lines.count - 1] = String(message.prefix(width)) }
        terminal.draw(lines)
      }
      if let end { return end }
      if let deadline, now >= deadline { return .quit }
    }
  }

  /// Passes the analysis of each interval to `write` until the recording ends or `deadline` is reached.
  func forEachInterval(
    until deadline: UInt64?, _ write: (Analysis, WatchStatus) throws -> Void
  ) throws -> WatchEnd {
    var nextNs = WatchTimes.now() &+ intervalNs
    var from: UInt64?
    while true {
      let end = source.update()
      let now = WatchTimes.now()
      let isLast = end != nil || deadline.map { now >= $0 } ?? false
      if now >= nextNs || isLast {
        let (analysis, until) = try analyze(from: from, spanNs: intervalNs)
        if until > from ?? 0 || from == nil { try write(analysis, source.status) }
        from = until + 1
        nextNs = next(after: nextNs, begun: now)
      }
      if let end { return end }
      if isLast { return .quit }
      usleep(UInt32(min(WatchTimes.lookNs, nextNs &- min(now, nextNs)) / 1000))
    }
  }
}

extension AnalysisOptions {
  /// Selects the span from `start` to `now`, in time units, or the newest `spanNs` if `start` is nil.
  mutating func selectNewest(
    _ spanNs: UInt64, from start: UInt64? = nil, until now: UInt64, in reader: TraceReader
  ) {
    let span = spanNs / reader.header.timeUnit.nanoseconds
    let begin = start.map { min($0, now) } ?? (now > span ? now - span : 0)
    from = begin > 0 ? begin : nil
    to = now < .max ? now + 1 : now
  }
}
