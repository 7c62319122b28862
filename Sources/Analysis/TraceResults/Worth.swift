/// A prediction of what the change that a finding suggests would do: exact numbers, or the less favourable end of each
/// range, if the assumptions of the prediction hold.
package struct Worth: Sendable, Equatable {
  /// The changes, in the language of `what-if --do`.
  package var changes: [String]
  /// Whether the numbers are exact; else each gain is the least of its range, and each cost the most.
  package var isExact: Bool
  /// How far the times of the replay are from the recorded ones (p99), in nanoseconds.
  package var residueNs: UInt64
  /// The skipped fires that the changes recover; negative = additional skipped fires.
  package var firesWonBack: Int64
  /// The hang time that they remove; negative = they add it.
  package var hangsRemovedNs: Int64
  /// For a finding about frames, the hitch time that they remove; negative = they add it. Else 0.
  package var hitchesRemovedNs: Int64
  /// The hangs that are left.
  package var hangsLeft: UInt64
  /// The busy time that they add; negative = they remove it.
  package var busyNs: Int64

  package init(
    changes: [String], isExact: Bool, residueNs: UInt64, firesWonBack: Int64, hangsRemovedNs: Int64,
    hitchesRemovedNs: Int64 = 0, hangsLeft: UInt64, busyNs: Int64
  ) {
    self.changes = changes
    self.isExact = isExact
    self.residueNs = residueNs
    self.firesWonBack = firesWonBack
    self.hangsRemovedNs = hangsRemovedNs
    self.hitchesRemovedNs = hitchesRemovedNs
    self.hangsLeft = hangsLeft
    self.busyNs = busyNs
  }
}
