import RunLoopVocabulary

/// Work of one kind and name that was queued for a run loop and had not run when the analyzed span ended.
public struct UnservedResult: Sendable {
  public var kind = QueuedWorkKind.block
  public var name = ""
  /// The loop that it waits for; empty = of a source in no loop, or in several.
  public var loop = ""
  /// The index of the loop's thread; nil = the loop never ran in the recording.
  public var thread: UInt32?
  /// Pieces of work.
  public var count: UInt64 = 0
  /// When the one that waited longest was queued, or came due; and how long it waited, suspension left out.
  public var queuedNs: UInt64 = 0
  public var waitedNs: UInt64 = 0
  public var reason = UnservedReason.unknown
  /// The modes that it may run in; with the common modes of the end. Empty for a source in no mode.
  public var modes: [String] = []
  public var isOfCommonModes = false
  /// The modes without it that the loop ran meanwhile.
  public var ranModes: [String] = []
  /// The callout behind which it waited: kind and name. Empty = none.
  public var blockerKind = ""
  public var blocker = ""
  /// Since when: the callout's begin, the last pass of a loop that sleeps, the end of a loop's last run or of its thread.
  public var blockedSinceNs: UInt64?
  /// When it was released with its loop; nil = it waited to the end of the span.
  public var releasedNs: UInt64?
  /// Events were lost, and the one that would say that it ran may be among them.
  public var isUncertain = false
  /// The blocked thread was seen waiting inside the callout, in this function; nil = that is not known.
  public var waitsIn: String?
  package init() {}

  /// So long that it counts as not served; shorter waits are of a recording that ended meanwhile.
  public static let thresholdNs = BusyClass.hangNs

  public var isUnserved: Bool { waitedNs >= Self.thresholdNs }

  /// Neither the callout nor the work can go on, if the callout waits for this work.
  public var mayBeDeadlock: Bool {
    isUnserved && !isUncertain
      && (reason == .drainUnderWay || reason == .calloutUnderWay && waitsIn != nil)
  }
}
