import TraceAnalysis
import TraceReplay

/// What makes the two hard to compare.
enum ComparisonNotes {
  static func notes(_ base: Analysis, _ new: Analysis, _ rows: [ComparedRow]) -> [String] {
    var notes: [String] = []
    for (name, analysis) in [("BASE", base), ("NEW", new)] {
      if analysis.trace.lostEvents > 0 {
        notes.append("\(name) lost \(analysis.trace.lostEvents) events: its numbers are lower bounds")
      }
      if !analysis.trace.clean || analysis.damage != nil {
        notes.append("\(name) is not whole: what is missing is not in its numbers")
      }
      if analysis.gapsOmitted > 0 || analysis.busyOmitted > 0 {
        notes.append(
          "\(name) has more than \(AnalysisLimits.listed) gaps or busy intervals: those counted are the longest"
        )
      }
      let doubtful = analysis.uncertainHangs.count
      if doubtful > 0 {
        notes.append(
          "\(name) has \(doubtful) busy \(doubtful == 1 ? "interval" : "intervals") of 250 ms or more whose length is uncertain: not counted as hangs"
        )
      }
      if let edge = analysis.busyAtBreak.first {
        notes.append(
          "\(name) breaks off while thread \(edge.thread) was busy: how long that went on is not in its numbers"
        )
      }
      if let edge = analysis.hangsAtStart.first {
        notes.append(
          "\(name) begins while thread \(edge.thread) was busy, for \(Units.duration(edge.durationNs)) more: not counted as a hang"
        )
      }
      let blind = analysis.timers.count { $0.ledger == nil }
      if blind > 0 {
        notes.append("\(name) has \(blind) timer classes without due points: they are not compared")
      }
    }
    if base.trace.captureLevel != new.trace.captureLevel {
      notes.append(
        "BASE was recorded at level \(base.trace.captureLevel.name), NEW at \(new.trace.captureLevel.name): "
          + "what one of them did not record is not compared")
      let unknown = rows.count(where: \.isUnknownElsewhere)
      if unknown > 0 {
        notes.append(
          "\(unknown) timers, callouts and sources of \(base.seesCallouts ? "BASE" : "NEW") may be in "
            + "\(base.seesCallouts ? "NEW" : "BASE") as well")
      }
    }
    let lengths = (base.trace.toNs &- base.trace.fromNs, new.trace.toNs &- new.trace.fromNs)
    if differByMuch(lengths) {
      notes.append(
        "BASE is \(Units.duration(lengths.0)) long, NEW \(Units.duration(lengths.1)): counts are of the whole "
          + "recordings; the verdict calls gaps and hangs worse only where there are also more of them per second"
      )
    }
    if base.trace.timeUnitNs != new.trace.timeUnitNs {
      notes.append("the time units differ: buckets do not match, and differences below 1 % mean nothing")
    }
    return notes
  }
}

/// By more than a tenth of the longer.
func differByMuch(_ lengths: (UInt64, UInt64)) -> Bool {
  Double(min(lengths.0, lengths.1)) < 0.9 * Double(max(lengths.0, lengths.1))
}
