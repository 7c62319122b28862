/// A busy interval that monitors judged.
struct Incident {
  var busy: WatchedBusy
  /// By detector, in the order asked for: nil = it reports, else why not.
  var silence: [String?]
}
