import RunLoopVocabulary

/// Work of one kind and name that was queued for a run loop and had not run when the analyzed span ended.
public struct UnservedResult: Sendable {
  public var kind = QueuedWorkKind.block
  public var name = ""
  /// The loop that the work waits for; empty = a source in no loop, or in several.
  public var loop = ""
  /// The index of the loop's thread; nil = the loop never ran in the recording.
  public var thread: UInt32?
  /// Pieces of work.
  public var count: UInt64 = 0
  /// When the piece that waited longest was queued or came due, and how long it waited, without suspension.
  public var queuedNs: UInt64 = 0
  public var waitedNs: UInt64 = 0
  public var reason = UnservedReason.unknown
  /// The modes that the work may run in, with the common modes at the end of the span. Empty for a source in no mode.
  public var modes: [String] = []
  public var isOfCommonModes = false
  /// The other modes that the loop ran meanwhile.
  public var ranModes: [String] = []
  /// The callout that the work waited behind: kind and name. Empty = none.
  public var blockerKind = ""
  public var blocker = ""
  /// The callout's begin, the last pass of a loop that sleeps, or the end of the loop's last run or of its thread.
  public var blockedSinceNs: UInt64?
  /// When the work was released with its loop; nil = it waited to the end of the span.
  public var releasedNs: UInt64?
  /// Events were lost, and one of them may say that the work ran.
  public var isUncertain = false
  /// The function in which the blocked thread was seen waiting inside the callout; nil = not known.
  public var waitsIn: String?
  package init() {}

  /// Work that waited this long counts as not served. Work that waited less was caught by the end of the recording.
  public static let thresholdNs = BusyClass.hangNs

  public var isUnserved: Bool { waitedNs >= Self.thresholdNs }

  /// Neither the callout nor the work can go on if the callout waits for this work.
  public var mayBeDeadlock: Bool {
    isUnserved && !isUncertain
      && (reason == .drainUnderWay || reason == .calloutUnderWay && waitsIn != nil)
  }
}
