import TraceAnalysis

/// The numbers of hitches, for each table whose rows have some.
package enum HitchColumns {
  package static let count = Column<HitchTime>("hitches", "times in which a frame was overdue") { $0.hitches }
  package static let time = Column<HitchTime>("hitch_ns", "total time of the hitches") { $0.hitchNs }
  package static let longest = Column<HitchTime>("longest_hitch_ns", "longest hitch; 0 = there is none") {
    $0.longestNs
  }
  package static let active = Column<HitchTime>("active_ns", "time in which the source was active") {
    $0.activeNs
  }
  package static let ratio = Column<HitchTime>.share(
    "hitch_ratio", "milliseconds of hitch per second of active_ns"
  ) { $0.ratio }
  .instead { $0.ratio.map { .words(Units.rate($0)) } }
}
