/// A question that is answered by one number for each session.
package enum Question: String, Sendable, CaseIterable {
  case hangTime = "hang_ns_per_hour"
  case hasHang = "has_hang"
  case busyShare = "busy_ppm"
  case busyShareOfMode = "mode_busy_ppm"
  case skipped = "skipped_ppm"
  case skippedOfTimer = "timer_skipped_ppm"
  case lateness = "lateness_p90_ns"
  case pass = "pass_p90_ns"
  case shareOfCallout = "callout_busy_ppm"
  case inputDelay = "input_delay_p99_ns"
  case waitForQueue = "queue_wait_p90_ns"
  case hangTimeInState = "state_hang_ns_per_hour"
  case hitchRatio = "hitch_us_per_s"
  case hitchRatioInState = "state_hitch_us_per_s"

  /// `microsecondsPerSecond`: a hitch ratio in thousandths of its usual unit.
  package enum Unit: Sendable { case nanoseconds, ppm, share, microsecondsPerSecond }

  package var unit: Unit {
    switch self {
    case .hasHang: .share
    case .busyShare, .busyShareOfMode, .skipped, .skippedOfTimer, .shareOfCallout: .ppm
    case .hitchRatio, .hitchRatioInState: .microsecondsPerSecond
    default: .nanoseconds
    }
  }

  /// The number in words, for people.
  package var words: String {
    switch self {
    case .hangTime: "hang time per hour"
    case .hasHang: "sessions with a hang"
    case .busyShare: "busy share of the main loop"
    case .busyShareOfMode: "busy share of mode"
    case .skipped: "skipped due points of timers"
    case .skippedOfTimer: "skipped due points of timer"
    case .lateness: "p90 of the lateness of timers"
    case .pass: "p90 of the length of passes"
    case .shareOfCallout: "share of the main loop's time in callout"
    case .inputDelay: "p99 of the input delay"
    case .waitForQueue: "p90 of the wait for queue"
    case .hangTimeInState: "hang time per hour of"
    case .hitchRatio: "hitch ratio of frames"
    case .hitchRatioInState: "hitch ratio of frames in"
    }
  }

  /// The smallest difference of means that is relevant, besides 5 %.
  package var relevant: Double {
    switch self {
    case .hangTime, .hangTimeInState: 1e9
    case .hasHang: 0.01
    case .busyShare, .busyShareOfMode, .skipped, .skippedOfTimer: 5_000
    case .shareOfCallout, .hitchRatio, .hitchRatioInState: 1_000
    case .lateness, .pass, .inputDelay: 100_000
    case .waitForQueue: 1_000_000
    }
  }

  /// Whether the subject is what a program does: a callout or timer to look at.
  package var namesCulprit: Bool { self == .shareOfCallout || self == .skippedOfTimer }

  /// Input delay of one short session is noisy, so it is shown but does not affect the verdict.
  package var decides: Bool { self != .inputDelay }
}
