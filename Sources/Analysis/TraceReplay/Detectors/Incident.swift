/// A busy interval that monitors judged.
package struct Incident: HasExtent {
  package var busy: WatchedBusy
  /// In the order of the detectors: nil = the monitor reports the interval, otherwise the reason why not.
  package var silence: [String?]

  package var extent: (length: UInt64, start: UInt64, lane: Int) { (busy.length, busy.start, 0) }
}
