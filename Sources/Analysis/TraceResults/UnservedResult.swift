import RunLoopVocabulary

/// Work of one kind and name that was queued for a run loop and had not run when the analyzed span ended.
package struct UnservedResult: Sendable {
  package var kind = QueuedWorkKind.block
  package var name = ""
  /// The loop for which the work waits; empty = a source in no loop, or in several, or work of the main queue of a
  /// program without run loops.
  package var loop = ""
  /// The index of the loop's thread; nil = the loop never ran in the recording.
  package var thread: UInt32?
  /// The number of pieces of work.
  package var count: UInt64 = 0
  /// When the piece that waited longest was queued or came due, and how long it waited, without suspension.
  package var queuedNs: UInt64 = 0
  package var waitedNs: UInt64 = 0
  package var reason = UnservedReason.unknown
  /// The modes in which the work may run, with the common modes as of the end of the span. Empty for a source in no
  /// mode.
  package var modes: [String] = []
  package var isOfCommonModes = false
  /// The other modes that the loop ran meanwhile.
  package var ranModes: [String] = []
  /// The kind and name of the callout behind which the work waited. Empty = none.
  package var blockerKind = ""
  package var blocker = ""
  /// The callout's start, the last pass of a sleeping loop, or the end of the loop's last run or of its thread.
  package var blockedSinceNs: UInt64?
  /// The first thread that waited for the work's queue as well, in a call such as dispatch_sync, if no work ran on the
  /// queue; nil = none did.
  package var waitingThread: UInt32?
  package var waitingSinceNs: UInt64 = 0
  /// The backlog of the work's queue at the end of the span, if this wait is one of its waits: an index of
  /// `WorkResults.backlogs`. Nil = none is kept, or the work was to run later.
  package var backlog: Int?
  /// When the work was released with its loop; nil = it waited until the end of the span.
  package var releasedNs: UInt64?
  /// Whether events were lost, so that one of the lost events may have recorded that the work ran.
  package var isUncertain = false
  /// The function in which the blocked thread was waiting inside the callout; nil = not known.
  package var waitsIn: String?
  /// The function that holds the queue or lock for which the blocked thread was waiting, and that was waiting itself;
  /// nil = not known, or it was not waiting.
  package var holder: String?
  /// Whether the thread of that function waited for the blocked thread.
  package var isDeadlock = false
  package init() {}

  /// Work that waited this long counts as not served. Shorter waits may simply have been cut off by the end of
  /// the recording.
  package static let thresholdNs = BusyClass.hangNs

  package var isUnserved: Bool { waitedNs >= Self.thresholdNs }

  /// Whether the work may be part of a deadlock: if the callout waits for this work, neither can proceed.
  package var mayBeDeadlock: Bool {
    isUnserved && !isUncertain
      && (reason == .drainUnderWay || reason == .calloutUnderWay && waitsIn != nil)
  }
}
