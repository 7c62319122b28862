import TraceAnalysis
import TraceReplay

/// The conditions that make the two traces hard to compare.
enum ComparisonNotes {
  static func notes(_ base: Analysis, _ new: Analysis, _ rows: [ComparedRow]) -> [String] {
    var notes: [String] = []
    for (name, analysis) in [("BASE", base), ("NEW", new)] {
      let trace = analysis.trace
      let doubtful = analysis.uncertainHangs.count
      let blind = analysis.timers.count { $0.ledger == nil }
      let of: [String?] = [
        trace.lostEvents > 0 ? "lost \(trace.lostEvents) events: its numbers are lower bounds" : nil,
        trace.clean && analysis.damage == nil ? nil : "is not whole: what is missing is not in its numbers",
        analysis.gapsOmitted > 0 || analysis.busyOmitted > 0
          ? "has more than \(AnalysisLimits.listed) gaps or busy intervals: those counted are the longest"
          : nil,
        doubtful > 0
          ? "has \(doubtful) busy \(doubtful == 1 ? "interval" : "intervals") of 250 ms or more whose length is uncertain: not counted as hangs"
          : nil,
        analysis.busyAtBreak.first.map {
          "breaks off while thread \($0.thread) was busy: how long that went on is not in its numbers"
        },
        analysis.hangsAtStart.first.map {
          "begins while thread \($0.thread) was busy, for \(Units.duration($0.durationNs)) more: not counted as a hang"
        },
        blind > 0 ? "has \(blind) timer classes without due points: they are not compared" : nil,
      ]
      notes += of.compactMap(\.self).map { "\(name) \($0)" }
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

/// Returns whether the lengths differ by more than a tenth of the longer one.
func differByMuch(_ lengths: (UInt64, UInt64)) -> Bool {
  Double(min(lengths.0, lengths.1)) < 0.9 * Double(max(lengths.0, lengths.1))
}
