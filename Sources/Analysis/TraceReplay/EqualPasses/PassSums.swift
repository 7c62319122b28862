/// The sums of a batch of passes, up to the beginning of the last one. All passes belong to one run, and therefore to
/// one mode and one column of the clock. Local sums cost half as much as updating the books, which are scattered in
/// memory.
struct PassSums {
  /// Events of the segment: the start of the last pass, its last activity, and the activity since which the thread
  /// has not waited.
  var pass: Int
  var activity: Int
  var busySince: Int
  /// The events up to which the clock includes the busy time, and up to which it remembers the callouts that ran.
  var busyBooked: Int
  var remembered: Int
  /// The last pass that began.
  var number: UInt64
  var start = Moment.origin
  var waited = false
  var waiting = Length.zero
  /// The last activity, and when it began; before the first pass, when the gap in progress began.
  var phase = Phase.beforeSources
  var phaseStart: Moment
  /// The number of finished passes that did not wait.
  var polls: UInt64 = 0
  /// The phases of all passes, including the unfinished one.
  var phases = PhaseTimes()
  var observers = PhaseTimes()
  var waits: UInt64 = 0
  /// The kinds of callouts served in the passes.
  var served = Served()
  /// The time in callouts and observers that was not added to the clock yet.
  var busy = Length.zero
}
