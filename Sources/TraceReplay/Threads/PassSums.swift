/// What passes at once add up to until the last of them has begun: all are of one run, so of one mode, and of one column
/// of the clock. Sums in hand cost half of what the books do, which are far apart.
struct PassSums {
  /// Events of the segment by their place: the pass that was begun last, its last activity, and the activity from which
  /// on the thread has not waited.
  var pass: Int
  var activity: Int
  var busySince: Int
  /// The clock knows how long what ran before it took; and, of what ran before that one, what it was.
  var busyBooked: Int
  var remembered: Int
  /// Of the pass that was begun last.
  var number: UInt64
  var start = Moment.origin
  var waited = false
  var beforeWaiting = Moment.origin
  var waiting = Length.zero
  /// Its last activity, and when the gap began that is under way.
  var phase = Phase.beforeSources
  var phaseStart = Moment.origin
  var gapStart: Moment
  /// Passes that are over, and those of them that did not wait.
  var passes: UInt64 = 0
  var polls: UInt64 = 0
  /// Of all passes, also of the one that is not over.
  var phases = PhaseTimes()
  var observers = PhaseTimes()
  var waits: UInt64 = 0
  /// The kinds of callouts served in the passes.
  var served = Served()
  /// In callouts and observers, since the clock was told.
  var busy = Length.zero
}
