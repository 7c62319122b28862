/// What a rule can measure. docs/commands/gate.md lists each; the raw value is its name in a rule.
public enum Metric: String, Sendable, CaseIterable {
  // Series, of which an aggregate is taken.
  case gap, busy
  case pass
  case wakeToCallout = "wake_to_callout"
  case inputDelay = "input_delay"
  case lateness
  case callout
  case signalToCallout = "signal_to_callout"
  case blockWait = "block_wait"
  case mainQueueWait = "main_queue_wait"
  // Single numbers.
  case utilisation
  case polls, wakes
  case emptyWakes = "wakes_for_nothing"
  case due, fired, skipped, withdrawn, pending, early
  case signals
  case mergedSignals = "merged_signals"
  case findings

  /// Empty for a single number.
  public var aggregates: [Aggregate] {
    switch self {
    case .gap, .busy: [.max, .count]
    case .pass, .wakeToCallout, .lateness, .signalToCallout, .blockWait, .mainQueueWait: Aggregate.allCases
    case .inputDelay: [.max, .mean, .p50, .p90, .p99]
    case .callout: [.max, .mean, .sum, .count]
    default: []
    }
  }

  public var isSeries: Bool { !aggregates.isEmpty }

  public var selectors: [Selector] {
    switch self {
    case .gap, .busy: [.mode, .thread, .atLeast]
    case .pass, .wakeToCallout, .inputDelay, .utilisation, .polls, .wakes, .emptyWakes: [.mode, .thread]
    case .lateness, .due, .fired, .withdrawn, .pending, .early: [.timer]
    case .skipped: [.timer, .cause]
    case .callout: [.callout, .kind, .thread]
    case .signalToCallout, .signals, .mergedSignals: [.source]
    case .blockWait, .mainQueueWait: []
    case .findings: [.rule, .severity]
    }
  }

  /// Of the metric's single number; an aggregate other than `count` is a time.
  var dimension: Dimension { self == .utilisation ? .ratio : isSeries ? .time : .count }
}

/// What is taken of a series.
public enum Aggregate: String, Sendable, CaseIterable {
  case min, max, mean, sum, count, p50, p90, p99, p999
}

/// Which rows a metric is taken of.
public enum Selector: String, Sendable, CaseIterable {
  case mode, thread, timer, source, callout, kind, cause, rule, severity
  case atLeast = "at_least"
}

/// What a number is a number of.
public enum Dimension: Sendable {
  /// Nanoseconds.
  case time
  case count
  /// 1 = all.
  case ratio
}
