import TraceResults

/// The thresholds at which numbers are worth a finding. `SeverityTable` decides how bad the finding is.
package enum FindingLimits {
  /// A blocker is named if it causes this share of the fires that a timer missed because of callouts.
  package static let muchOfBlocked = 0.1
  /// The lack of a processor is named if a thread that computed waited for one for this share of the sampled time.
  package static let muchWithoutProcessor = 0.3
  /// Other modes that ran for at least this long in total are long; nanoseconds.
  package static let noticedNs: UInt64 = 1_000_000_000
  /// A timer whose average lateness is at least this long is reported as late; nanoseconds.
  package static let lateFireNs: UInt64 = 5_000_000
  /// Work that delays a loop or mode for at least this long in total is reported; nanoseconds. This is the lower bound
  /// of the shortest of Apple's classes of unresponsiveness.
  package static let noticeableNs = BusyClass.briefUnresponsiveness.fromNs
  /// Observers are reported only if they take this share of the time of their mode.
  package static let muchOfTime = 0.05
  /// Half a frame at 60 Hz, nanoseconds.
  package static let longWhileTrackingNs: UInt64 = 8_000_000
  /// Work whose share of the tracking time is at most this many times its share of the default mode's time does not
  /// belong to the gesture.
  package static let mostOfIdleWork = 2.0
  /// A thread that spends this long outside runs is reported, nanoseconds.
  package static let outsideRunsNs = BusyClass.severeHang.fromNs
  /// A main thread that stays outside its loop this long after its last run is stuck or stays there on purpose;
  /// nanoseconds.
  package static let stuckNs: UInt64 = 10_000_000_000
  /// A queue that waits this long for another thread waits for Dispatch, which adds about one a second; nanoseconds.
  package static let growthOfPoolNs: UInt64 = 700_000_000
  /// The number of culprits that a finding about late frames names.
  package static let costsOfHitches = 3
  /// The number of findings that a verdict names besides the first.
  package static let othersInVerdict = 2
  /// The maximum number of findings of one rule and severity; one more finding sums up the rest.
  package static let ofOneRule = 6
  /// The maximum number of places in the code that a finding names.
  package static let places = 6
}
