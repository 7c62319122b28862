/// A busy interval, suspension included, with the long gaps in it: what detectors judge. In time units.
package struct Incident {
  package var busy: FoundBusy
  /// The longest gaps, at most four, longest first.
  var gaps: [FoundGap] = []
  /// How many gaps were long enough to be heard of.
  var gapCount = 0
  /// By detector, in the order of the lab's rules: nil = it reports, else why not.
  package var silence: [String?] = []

  /// With suspension.
  package var length: UInt64 { busy.end &- busy.start }
  package var longest: FoundGap? { gaps.first }
}
