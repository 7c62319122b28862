/// A stall monitor as used in practice, and what it would have reported. docs/reference/numbers.md describes each.
package struct Detector: Sendable, Equatable {
  /// The value of `--detector`.
  package let name: String
  /// The product or project that the monitor comes from.
  package let source: String
  /// When the monitor reports, as one phrase.
  package let rule: String
  /// The shortest busy interval that the monitor receives, suspension included, in nanoseconds.
  var shortestBusyNs = DetectorRunner.shortestGapNs
  /// Whether the monitor watches activities besides waits.
  package var needsPhases = true
  /// The rule of a monitor that counts frames; nil for one that watches the loop.
  package var frameRate: FrameRate?
  /// Creates a monitor for one thread.
  let monitor: @Sendable () -> any StallMonitor

  /// All detectors. Each is declared next to its monitor.
  package static let all: [Detector] = [
    .apple, .semaphore1s, .semaphore3s, .semaphore5x50ms, .matrix, .kscrash, .sentryV2, .datadog, .fps,
  ]
  package static let standard: [Detector] = [.apple, .semaphore3s]

  package static func == (a: Detector, b: Detector) -> Bool { a.name == b.name }
}
