import TraceAnalysis

/// The table of work that was queued and never ran.
package enum UnservedTables {
  package static let unserved = ResultTable<UnservedResult>(
    "unserved", "work that was queued for a loop and had not run at the end, the longest wait first",
    needs: .callouts("blocks and sources")
  ) {
    Column("kind", "block, mainQueueBlock or source0") { $0.kind.name }.headed("kind", at: 2)
    Column("name", "") { $0.name }.named("waiting work", at: 1)
    Column("loop", "that it waits for; empty = none, or several") { $0.loop }.shown(as: .name)
      .headed("loop", at: 3, in: .page)
    Column("thread", "index of the loop's thread; null = the loop never ran") { $0.thread }
      .shown(as: .thread)
    Column("count", "pieces of work") { $0.count }.headed("count", at: 4)
    Column("queued_ns", "when the one that waited longest was queued, or came due") { $0.queuedNs }
      .moment { $0.waitedNs }.headed("since", "When it was queued, or came due.", at: 5)
    Column("waited_ns", "how long that one waited, suspension left out") { $0.waitedNs }
      .headed("waited", "Up to the end of the span, suspension left out.", at: 6)
    Column("reason", "why it had not run") { $0.reason.name }
    Column(Heading("why", "Why it had not run.", at: 7)) { why($0) }
    Column("modes", "that it may run in, joined by ', '") { $0.modes }.shown(as: .name)
      .headed("modes", "That it may run in.", at: 8, in: .page)
      .instead {
        $0.isOfCommonModes
          ? .name((["common modes"] + $0.modes).joined(separator: ", "))
          : $0.modes.isEmpty ? .words("none") : nil
      }
    Column("common", "it may run in the common modes") { $0.isOfCommonModes }
    Column("ran_modes", "other modes that the loop ran meanwhile, joined by ', '") { $0.ranModes }
      .shown(as: .name).headed("ran instead", "Other modes that the loop ran meanwhile.", at: 9, in: .page)
    Column("blocker_kind", "of the callout behind which it waited; empty = none") { $0.blockerKind }
    Column("blocker", "its name") { $0.blocker }.shown(as: .name)
      .headed("behind", "The callout behind which it waited.", at: 10, in: .page)
    Column(
      "blocked_since_ns",
      "since when: that callout's begin, the last pass of a sleeping loop, the end of a loop's last run or thread"
    ) { $0.blockedSinceNs }
    Column("released_ns", "when it was released with its loop; null = it waited to the end of the span") {
      $0.releasedNs
    }
    Column("waits_in", "function in which the loop's thread waits, by sampled stacks") { $0.waitsIn }
      .shown(as: .name)
    Column("uncertain", "events were lost, and one of them may say that it ran") { $0.isUncertain }
  }

  /// Returns the reason in a few words.
  private static func why(_ work: UnservedResult) -> String {
    work.isUncertain ? "\(work.reason.words) (uncertain)" : work.reason.words
  }
}
