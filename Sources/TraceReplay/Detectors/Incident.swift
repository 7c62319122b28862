/// A busy interval that monitors judged.
package struct Incident: Lasting {
  package var busy: WatchedBusy
  /// By detector, in the order asked for: nil = it reports, else why not.
  package var silence: [String?]

  package var extent: (length: UInt64, start: UInt64, lane: Int) { (busy.length, busy.start, 0) }
}
