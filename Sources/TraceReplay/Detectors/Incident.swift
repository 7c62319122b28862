/// A busy interval that monitors judged.
package struct Incident {
  package var busy: WatchedBusy
  /// By detector, in the order asked for: nil = it reports, else why not.
  package var silence: [String?]
}
