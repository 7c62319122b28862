/// What CFRunLoop does where one could think of something else: one rule each, so that a platform's difference has a name,
/// and so that a test can break one.
///
/// docs/runloop-semantics.md numbers them.
public struct RunLoopRules: Equatable, Sendable {
  /// A timer whose callout overran misses the grid points in between; else it makes up for each.
  public var missedPointsAreDropped = true
  /// The grid is that of due points; else each interval begins at the callout.
  public var gridIsOfDuePoints = true
  /// A moved fire date, and a new interval from it, holds from the end of the callout that moved it.
  public var laterFireDateIsHonoured = true
  /// Blocks are run again after a source0 was handled.
  public var blocksFollowSources = true
  /// A pass that handled a source0 does not wait.
  public var handledSourceForbidsWaiting = true
  /// A source's signal is taken back before its callout; else after it.
  public var signalIsClearedBeforePerform = true
  /// Wake-ups are ignored from the wait's end to the next pass.
  public var wakeUpsAreIgnoredWhileAwake = true
  /// A run that may end after a source, does; else it goes on to its time.
  public var returnsAfterSource = true
  /// Time-out is decided before stop.
  public var timeOutGoesBeforeStop = true
  /// A nested run has a stop of its own.
  public var stopIsOfTheInnermostRun = true
  /// A timer does not fire inside its own callout.
  public var firingTimerIsLeftOut = true
  /// Blocks queued while blocks run wait for the next batch.
  public var blockBatchIsDetached = true
  /// After a drain of the main queue the next pass does not look at it before it waits.
  public var drainIsNotRepeatedAtOnce = true
  /// A mode with nothing in it is left.
  public var emptyModeFinishes = true
  /// A removal from the common modes removes only common items. If false, it removes every item in these modes.
  public var commonRemovalIsOfCommonItems = true
  /// An item that is removed from one mode stays a common item.
  public var commonItemsLeaveOneMode = true
  /// Darwin: the timer of a mode without timers is disarmed. On Linux it expires at its old date, for nothing.
  public var emptyTimerIsDisarmed = false

  public init() {}

  public static let linux = RunLoopRules()
}
