import TraceResults

/// From where on numbers are findings, each limit once. docs/findings.md says what each means.
public enum FindingLimits {
  /// Skipped fires are many from this share of all due points on.
  public static let muchOfDue = 0.1
  /// Of the fires that a timer missed behind callouts, a blocker of this share is named.
  public static let muchOfBlocked = 0.1
  /// Two or more skipped fires that make this much time are noticed, whatever their share; nanoseconds.
  public static let noticedNs: UInt64 = 1_000_000_000
  /// Fires that are this late on average are late, nanoseconds.
  public static let lateFireNs: UInt64 = 5_000_000
  /// Work that makes a whole loop's or mode's time late, nanoseconds: Apple's smallest class.
  public static let noticeableNs = BusyClass.briefUnresponsiveness.fromNs
  /// From this number on, repeating timers or sources of one place that keep coming are a leak.
  public static let manyItems: UInt64 = 50
  /// From this number of live ones on, such a leak is an error.
  public static let tooManyItems: UInt64 = 200
  /// From this total time on, polling is a fault. Nanoseconds.
  public static let pollingNs: UInt64 = 500_000_000
  /// Half a frame at 60 Hz, nanoseconds.
  public static let longWhileTrackingNs: UInt64 = 8_000_000
  /// A thread outside runs for so long is worth a word, nanoseconds.
  public static let outsideRunsNs = BusyClass.severeHang.fromNs
  /// A main thread behind its last run for so long is stuck, or means to be; nanoseconds.
  public static let stuckNs: UInt64 = 10_000_000_000
  /// A verdict names so many findings besides the first.
  public static let othersInVerdict = 2
  /// Findings of one rule and severity; the rest is one more.
  public static let ofOneRule = 6
  /// A finding names the code of so many functions.
  public static let places = 6
}
