/// The rules of CFRunLoop where another behaviour would be possible. Each has a name, for the differences between
/// platforms and so that a test can break one.
///
/// docs/explanation/runloop-semantics.md numbers them.
package struct RunLoopRules: Equatable, Sendable {
  /// A timer whose callout overran skips the grid points in between. If false, it fires for each of them.
  package var missedPointsAreDropped = true
  /// The grid consists of due points. If false, each interval begins at the callout.
  package var gridIsOfDuePoints = true
  /// A later fire date, set during a timer's callout, holds from the end of the callout on and begins a new grid.
  package var laterFireDateIsHonoured = true
  /// Blocks run again after a source0 was handled.
  package var blocksFollowSources = true
  /// A pass that handled a source0 does not wait.
  package var handledSourceForbidsWaiting = true
  /// A source's signal is cleared before its callout. If false, it is cleared after it.
  package var signalIsClearedBeforePerform = true
  /// Wake-ups are ignored from the end of the wait to the next pass.
  package var wakeUpsAreIgnoredWhileAwake = true
  /// A run that may return after a source does so. If false, it continues until its time limit.
  package var returnsAfterSource = true
  /// The time limit is checked before a stop.
  package var timeOutGoesBeforeStop = true
  /// A stop ends only the innermost run.
  package var stopIsOfTheInnermostRun = true
  /// A timer does not fire inside its own callout.
  package var firingTimerIsLeftOut = true
  /// Blocks queued while blocks run wait for the next batch.
  package var blockBatchIsDetached = true
  /// After a drain of the main queue, the next pass does not check the queue before it waits.
  package var drainIsNotRepeatedAtOnce = true
  /// A run ends when its mode is empty.
  package var emptyModeFinishes = true
  /// A removal from the common modes removes only common items. If false, it removes every item in these modes.
  package var commonRemovalIsOfCommonItems = true
  /// An item that is removed from one mode stays a common item.
  package var commonItemsLeaveOneMode = true
  /// Darwin: the timer of a mode without timers is disarmed. On Linux it expires at its old date, without effect.
  package var emptyTimerIsDisarmed = false

  package init() {}

  package static let linux = RunLoopRules()
}
