/// A stall monitor of the field: what it would have reported. docs/analysis.md describes each.
public struct Detector: Sendable, Equatable {
  /// What `--detector` takes.
  public let name: String
  /// Whose it is.
  public let source: String
  /// When it reports, in a sentence.
  public let rule: String
  /// Busy intervals, suspension included, that it wants to hear of, nanoseconds.
  var shortestBusyNs = DetectorLab.shortestGapNs
  /// For one thread.
  let monitor: @Sendable () -> any StallMonitor

  /// Each is declared beside its monitor.
  public static let all: [Detector] = [
    .apple, .semaphore1s, .semaphore3s, .semaphore5x50ms, .matrix, .kscrash, .sentryV2, .datadog,
  ]
  public static let standard: [Detector] = [.apple, .semaphore3s]

  public static func == (a: Detector, b: Detector) -> Bool { a.name == b.name }
}
