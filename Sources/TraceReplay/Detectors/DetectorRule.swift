/// A stall monitor of the field: what it would have reported. docs/analysis.md has each rule and its source.
public enum DetectorRule: String, Sendable, CaseIterable {
  case apple
  case semaphore1s = "semaphore-1s"
  case semaphore3s = "semaphore-3s"
  case semaphore5x50ms = "semaphore-5x50ms"
  case matrix
  case kscrash
  case sentryV2 = "sentry-v2"
  case datadog

  public static let standard: [DetectorRule] = [.apple, .semaphore3s]

  /// In a sentence.
  public var rule: String {
    switch self {
    case .apple: "time between two waits of 250 ms and above, suspension subtracted"
    case .semaphore1s: "no activity for 1 s, the last one BeforeSources or AfterWaiting"
    case .semaphore3s: "no activity for 3 s, the last one BeforeSources or AfterWaiting"
    case .semaphore5x50ms:
      "five waits of 50 ms in a row without activity behind BeforeSources or AfterWaiting"
    case .matrix: "every second: busy for more than 2 s; a check that itself took over 10 s is dropped"
    case .kscrash: "AfterWaiting to BeforeWaiting, 250 ms and above, as seen at order 0"
    case .sentryV2: "every 0.4 s: more than 99 % of the last 2 s delayed"
    case .datadog: "long task 100 ms, hang 2 s; dropped beyond 30 s, or when the monitor woke 3 s late"
    }
  }

  /// Gaps and busy intervals, suspension included, that it wants to hear of, nanoseconds.
  var shortestGapNs: UInt64 {
    switch self {
    case .semaphore1s: 1_000_000_000
    case .semaphore3s: 3_000_000_000
    case .semaphore5x50ms: 50_000_000
    default: .max
    }
  }
  var shortestBusyNs: UInt64 {
    switch self {
    case .apple, .semaphore1s, .semaphore3s, .semaphore5x50ms: 100_000_000
    case .matrix: 1_000_000_000
    case .kscrash: 100_000_000
    case .sentryV2: 16_666_667
    case .datadog: 100_000_000
    }
  }
}

/// What one detector would have reported.
package struct DetectorReport {
  package var start: UInt64
  package var end: UInt64
  /// The class of hang, or the activity it followed.
  package var what: String
  /// The one that took most by itself; nil when none is known.
  package var callout: SpanCallout?
}
