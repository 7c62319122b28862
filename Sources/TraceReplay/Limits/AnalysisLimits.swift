/// Limits of what is kept, so that memory does not grow with the trace. What is beyond is counted and said.
public enum AnalysisLimits {
  /// Timer classes with a row of their own; the rest share one.
  public static let timerClasses = 256
  /// Names of the timers of one class that are listed.
  public static let namesOfTimerClass = 5
  /// (thread, loop, mode) triples with a row of their own.
  public static let modeRows = 256
  /// Timers that live at once and are followed.
  public static let liveTimers = 1 << 16
  /// Gaps and busy intervals listed: the longest.
  public static let listed = 1000
  /// Callouts by name, kind and thread with a row of their own.
  public static let calloutRows = 1024
  public static let sourceRows = 256
  /// Callouts listed of a gap or busy interval: those that took most by themselves.
  public static let spanCallouts = 4
  /// Callouts named as being in the way of one timer class.
  public static let blockers = 32
  /// Shorter callouts are not named where they delayed a timer.
  public static let namedStretchNs: UInt64 = 2_000
  /// From one beat to the next at most, of a recorder that does not say it.
  public static let untoldHeartbeatNs: UInt64 = 100_000_000
  public static let suspensionEvidence = 100_000
  /// Threads whose stalls are judged by detectors.
  public static let detectedThreads = 16
  /// Marks of life-cycle phases, tasks and services that are kept, each.
  public static let lifeCycleRows = 1000
  /// Marks of the program that are listed: the first.
  public static let markRows = 10_000
  /// Names of intervals with a row of their own; the rest share one.
  public static let intervalNames = 256
  /// Intervals that are open at once and are followed.
  public static let openIntervals = 1 << 16
  /// Columns of a thread's clock: outside any run, modes, and the rest.
  public static let modeColumns = 16
  /// Nested runs followed; deeper ones are counted to their parents.
  public static let nesting = 256
  public static let openCallouts = 256
  /// Sampled stacks that are kept, and those of them that differ.
  public static let stackSamples = 1 << 16
  public static let stacks = 1 << 14
  public static let stackImages = 4096
  /// Snapshots of what run loops hold: the first. And of all of them, items.
  public static let topologySnapshots = 1000
  public static let topologyItems = 1 << 17
  /// Events of decoded blocks in hand, about a gigabyte: blocks of that many threads overlap in no recording.
  public static let openEvents = 1 << 26
}
