import TraceAnalysis

/// The table of work that was queued and never ran.
package enum UnservedTables {
  package static let unserved = ResultTable<UnservedResult>(
    "unserved", "work that was queued for a loop and had not run at the end, the longest wait first",
    needs: .callouts("blocks and sources")
  ) {
    Column("kind", "block, mainQueueBlock, source0 or work") { $0.kind.name }.headed("kind", at: 2)
    Column("name", "") { $0.name }.named("waiting work", at: 1)
    Column("loop", "loop or queue for which the work waits; empty = none, or several") { $0.loop }.shown(
      as: .name
    )
    .headed("loop", at: 3, in: .page)
    Column("thread", "index of the loop's thread; null = the loop never ran") { $0.thread }
      .shown(as: .thread)
    Column("count", "number of pieces of work") { $0.count }.headed("count", at: 4)
    Column("queued_ns", "when the piece that waited longest was queued or came due") { $0.queuedNs }
      .moment { $0.waitedNs }.headed(
        "since", "When the piece that waited longest was queued or came due.", at: 5)
    Column("waited_ns", "how long that piece waited, without suspension") { $0.waitedNs }
      .headed("waited", "How long that piece waited up to the end of the span, without suspension.", at: 6)
    Column("reason", "reason why the work had not run") { $0.reason.name }
    Column(Heading("why", "The reason why the work had not run.", at: 7)) { why($0) }
    Column("modes", "modes in which the work may run, joined by ', '") { $0.modes }.shown(as: .name)
      .headed("modes", "The modes in which the work may run.", at: 8, in: .page)
      .instead {
        $0.isOfCommonModes
          ? .name((["common modes"] + $0.modes).joined(separator: ", "))
          : $0.modes.isEmpty ? .words("none") : nil
      }
    Column("common", "whether the work may run in the common modes") { $0.isOfCommonModes }
    Column("ran_modes", "other modes that the loop ran meanwhile, joined by ', '") { $0.ranModes }
      .shown(as: .name).headed("ran instead", "Other modes that the loop ran meanwhile.", at: 9, in: .page)
    Column("blocker_kind", "kind of the callout behind which the work waited; empty = none") {
      $0.blockerKind
    }
    Column("blocker", "name of that callout") { $0.blocker }.shown(as: .name)
      .headed("behind", "The callout behind which the work waited.", at: 10, in: .page)
    Column(
      "blocked_since_ns",
      "when the work became blocked: that callout's start, the last pass of a sleeping loop, or the end of the loop's last run or thread"
    ) { $0.blockedSinceNs }
    Column(
      "released_ns", "when the work was released with its loop; null = it waited until the end of the span"
    ) {
      $0.releasedNs
    }
    Column("waits_in", "function in which the loop's thread waits, by sampled stacks") { $0.waitsIn }
    Column("holder", "function that holds the lock or queue that it waits for, and that waits itself") {
      $0.holder
    }
    Column("deadlock", "whether the thread of that function waits for the loop's thread") { $0.isDeadlock }
      .shown(as: .name)
    Column("uncertain", "whether events were lost, so that the work may have run") { $0.isUncertain }
  }

  /// Returns the reason in a few words.
  private static func why(_ work: UnservedResult) -> String {
    work.isUncertain ? "\(work.reason.words) (uncertain)" : work.reason.words
  }
}
