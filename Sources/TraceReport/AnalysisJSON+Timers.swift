// The property names are the JSON keys.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
import TraceAnalysis

extension AnalysisJSON {
  struct TimerRow: Encodable {
    let result: TimerResult
    init(_ result: TimerResult) { self.result = result }

    enum CodingKeys: String, CodingKey {
      case name, names, more_names, site, objects, interval_ns, tolerance_ns, modes, common, deferrable
      case due, fired, skipped, withdrawn, pending, early, manual
      case lateness_ns, ledger_ns, overdue_by_mode_ns, pending_overdue_ns, skipped_by, wrong_mode_by
      case by_mode, blockers, callout_ns_by_mode, longest_callout_ns
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(result.name, forKey: .name)
      try container.encode(result.names, forKey: .names)
      try container.encode(result.hasMoreNames, forKey: .more_names)
      try container.encode(result.site, forKey: .site)
      try container.encode(result.objects, forKey: .objects)
      try container.encode(result.intervalNs, forKey: .interval_ns)
      try container.encode(result.toleranceNs, forKey: .tolerance_ns)
      try container.encode(result.modes, forKey: .modes)
      try container.encode(result.isCommon, forKey: .common)
      try container.encode(result.isDeferrable, forKey: .deferrable)
      try container.encode(result.fired, forKey: .fired)
      try container.encode(result.manual, forKey: .manual)
      try container.encode(sums(result.calloutNsByMode), forKey: .callout_ns_by_mode)
      try container.encode(result.longestCalloutNs, forKey: .longest_callout_ns)
      try encodeLedger(&container)
    }

    /// Null where the recording holds no due points: see `notes`.
    private func encodeLedger(_ container: inout KeyedEncodingContainer<CodingKeys>) throws {
      let ledger = result.ledger
      try container.encode(ledger?.due, forKey: .due)
      try container.encode(ledger?.skipped, forKey: .skipped)
      try container.encode(ledger?.withdrawn, forKey: .withdrawn)
      try container.encode(ledger?.pending, forKey: .pending)
      try container.encode(ledger?.early, forKey: .early)
      try container.encode(ledger.map { DistributionRow($0.latenessNs) }, forKey: .lateness_ns)
      try container.encode(ledger.map { byCause($0.ledgerNs) }, forKey: .ledger_ns)
      try container.encode(ledger?.pendingOverdueNs, forKey: .pending_overdue_ns)
      try container.encode(ledger.map { sums($0.overdueByModeNs) }, forKey: .overdue_by_mode_ns)
      try container.encode(
        ledger.map { sums($0.wrongModeBy.map { ($0.mode, $0.count) }) }, forKey: .wrong_mode_by)
      try container.encode(ledger.map { byCause($0.skippedBy) }, forKey: .skipped_by)
      try container.encode(ledger.map { $0.byMode.map(PointsRow.init) }, forKey: .by_mode)
      try container.encode(ledger.map { $0.blockers.map(BlockerRow.init) }, forKey: .blockers)
    }

    private func sums(_ rows: [(String, UInt64)]) -> [String: UInt64] {
      Dictionary(rows, uniquingKeysWith: &+)
    }

    private func byCause(_ values: [Cause: UInt64]) -> [String: UInt64] {
      Dictionary(uniqueKeysWithValues: values.map { ($0.key.name, $0.value) })
    }
  }

  struct PointsRow: Encodable {
    let mode: String
    let due: UInt64
    let fired: UInt64
    let skipped: UInt64
    let withdrawn: UInt64
    let pending: UInt64
    let worst_lateness_ns: UInt64

    init(_ points: PointsInMode) {
      mode = points.mode
      due = points.due
      fired = points.fired
      skipped = points.skipped
      withdrawn = points.withdrawn
      pending = points.pending
      worst_lateness_ns = points.worstLatenessNs
    }
  }

  struct BlockerRow: Encodable {
    let kind: String
    let name: String
    let lateness_ns: UInt64
    let skipped: UInt64

    init(_ blocker: BlockerResult) {
      kind = blocker.kind
      name = blocker.name
      lateness_ns = blocker.latenessNs
      skipped = blocker.points
    }
  }
}
