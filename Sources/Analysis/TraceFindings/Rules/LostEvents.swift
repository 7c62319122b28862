import TraceResults

extension RuleID { package static let lostEvents: RuleID = "RL022" }

extension FindingRule {
  static let lostEvents = FindingRule(.lostEvents, "the recording lost events", basis: .recording) {
    analysis in
    let lost = analysis.trace.lostEvents
    guard lost > 0 else { return nil }
    let fullDisk = analysis.trace.lostToFullDisk
    let ofThem: Sentence =
      fullDisk == 0 ? "" : " (a full disk caused \(count: fullDisk, "lost_to_full_disk") of the losses)"
    return Finding(
      .warning,
      "\(count: lost, "lost_events", "event was", "events were") lost; the recording has the other \(count: analysis.trace.events, "events")\(ofThem). Numbers around the losses are lower bounds",
      advice: remedy(analysis),
      headline: Finding.Headline(.other("\(lost)"), lost == 1 ? "event lost" : "events lost"),
      weight: lost)
  }

  private static func remedy(_ analysis: Analysis) -> Sentence {
    // A recording of all queues needs all threads.
    let less =
      analysis.work.isRequested ? "less (without --queues all)" : "less (--level activities, --thread main)"
    return switch analysis.trace.lostToFullDisk {
    case 0: "Record \(less). A program that embeds the recorder can give it larger rings (slotsPerRing)."
    case analysis.trace.lostEvents: "Record to a disk that has room, or record \(less)."
    default: "Record to a disk that has room, and record \(less)."
    }
  }
}
