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
        trace.clean && analysis.damage == nil
          ? nil : "is incomplete: its numbers do not include the missing part",
        analysis.gapsOmitted > 0 || analysis.busyOmitted > 0
          ? "has more than \(AnalysisLimits.listed) gaps or busy intervals: only the longest are counted"
          : nil,
        doubtful > 0
          ? "has \(doubtful) busy \(doubtful == 1 ? "interval" : "intervals") of 250 ms or more whose length is uncertain: \(doubtful == 1 ? "it is" : "they are") not counted as hangs"
          : nil,
        analysis.busyAtBreak.first.map {
          "breaks off while thread \($0.thread) was busy: its numbers do not include how long it stayed busy"
        },
        analysis.hangsAtStart.first.map {
          "begins while thread \($0.thread) was busy, and the thread stayed busy for \(Units.duration($0.durationNs)): this is not counted as a hang"
        },
        analysis.processor.flatMap { use in
          use.stretch < RelevantDifference.noticedStretch
            ? nil
            : "ran on a busy machine: its sampled threads had a processor for \(Units.duration(use.cpuNs)) and waited \(Units.duration(use.waitedNs)) for one. Longer times and more missed fires count only beyond a factor of \(Units.significant(use.stretch)), and longer waits only from \(Units.duration(RelevantDifference.waitOnBusyMachineNs))"
        },
        blind > 0 ? "has \(blind) timer classes without due points: they are not compared" : nil,
      ]
      notes += of.compactMap(\.self).map { "\(name) \($0)" }
    }
    if base.trace.captureLevel != new.trace.captureLevel {
      notes.append(
        "the capture level of BASE is \(base.trace.captureLevel.name), that of NEW is \(new.trace.captureLevel.name): "
          + "only data that both recorded is compared")
      let unknown = rows.count { $0.isUnknownElsewhere && $0.subject.kind != "queue" }
      if unknown > 0 {
        notes.append(
          "\(unknown) timers, callouts and sources of \(base.seesCallouts ? "BASE" : "NEW") may also be in "
            + "\(base.seesCallouts ? "NEW" : "BASE"), which did not record them")
      }
    }
    if base.work.isRecorded != new.work.isRecorded {
      notes.append(
        "only \(base.work.isRecorded ? "BASE" : "NEW") has work of queues other than the main queue, which --queues all "
          + "records: queues and their findings are not compared")
    }
    let lengths = (base.trace.toNs &- base.trace.fromNs, new.trace.toNs &- new.trace.fromNs)
    if differByMuch(lengths) {
      notes.append(
        "BASE is \(Units.duration(lengths.0)) long, NEW \(Units.duration(lengths.1)): counts cover the whole "
          + "recordings; the verdict calls gaps and hangs worse only if there are also more of them per second"
      )
    }
    if base.trace.timeUnitNs != new.trace.timeUnitNs {
      notes.append(
        "the time units differ: the histograms do not match exactly, so differences below 1 % have no meaning"
      )
    }
    return notes
  }
}

/// Returns whether the lengths differ by more than a tenth of the longer one.
func differByMuch(_ lengths: (UInt64, UInt64)) -> Bool {
  Double(min(lengths.0, lengths.1)) < 0.9 * Double(max(lengths.0, lengths.1))
}
