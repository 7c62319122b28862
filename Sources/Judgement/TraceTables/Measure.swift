import SystemSupport

/// A counted or distributed quantity, under the name that comparisons and rules use: its column's name without `_ns`.
package struct Measure: Hashable, Sendable {
  package let name: String
  /// The title, if it differs from the name in words.
  private let givenTitle: String?
  /// The singular form.
  private let one: String?
  /// For a distribution: what its values belong to.
  package let noun: String

  package init(_ name: String, title: String? = nil, one: String? = nil, of noun: String = "") {
    self.name = name
    givenTitle = title
    self.one = one
    self.noun = noun
  }

  /// The title for people.
  package var title: String { givenTitle ?? name.with(" ", for: "_") }

  /// For a distribution: its key in documents.
  package var timesKey: String { "\(name)_ns" }

  package static func == (a: Measure, b: Measure) -> Bool { a.name == b.name }
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// Returns a number with its noun, such as `1 callout` or `3 callouts`.
  package func text(_ count: UInt64) -> String { "\(count) \(count == 1 ? one ?? title : title)" }
}

/// Measures that code refers to by name.
extension Measure {
  package static let hangs = Measure("hangs", one: "hang")
  package static let gaps = Measure("gaps", one: "gap")
  package static let passes = Measure("passes", one: "pass")
  package static let polls = Measure("polls", one: "poll")
  package static let wakes = Measure("wakes", one: "wake")
  package static let due = Measure("due")
  package static let skipped = Measure("skipped")
  /// The points that were skipped because the loop was waiting and the system woke it late.
  package static let skippedByScheduler = Measure("skipped_by_scheduler")
  package static let callouts = Measure("callouts", one: "callout")
  package static let unserved = Measure(
    "unserved", title: "work that never ran", one: "piece of work that never ran")
  package static let queued = Measure("queued", title: "pieces of queued work", one: "piece of queued work")
  package static let signals = Measure("signals", one: "signal")
  package static let mergedSignals = Measure("merged_signals", one: "merged signal")

  package static let pass = Measure("pass", of: "passes")
  package static let wakeToCallout = Measure(
    "wake_to_callout", title: "wake-to-callout", of: "wake-ups with a callout")
  package static let lateness = Measure("lateness", of: "fires")
  package static let duration = Measure("duration")
  package static let signalToCallout = Measure(
    "signal_to_callout", title: "signal-to-callout", of: "signals with a callout")
  package static let blockWait = Measure("block_wait", title: "wait of blocks", of: "blocks")
  package static let mainQueueWait = Measure(
    "main_queue_wait", title: "wait of main-queue blocks", of: "main-queue blocks")
  /// Those of queues other than the main queue.
  package static let wait = Measure("wait", of: "slices of work")
  package static let run = Measure("run", title: "slice", of: "slices of work")
  package static let call = Measure("call", title: "wait for a turn", of: "waits of threads")
  package static let depth = Measure("depth", title: "waiting at once")
}

/// The way in which a column compares two traces.
package enum ComparisonRule: Sendable, Equatable {
  /// A property of the recording, not of the program: never relevant.
  case recording
  /// Each one is a fault. Compared by the share of the whole.
  case fault(of: Measure)
  /// Neither good nor bad. Compared by number and by the share of the whole.
  case part(of: Measure)
  /// Neither good nor bad. Compared by number and by the number per unit of recorded time.
  case number
  /// The greatest of many numbers. Rows combine by their maximum. Neither good nor bad.
  case peak
  /// Gaps or hangs: each one is a fault, and some are only just long enough.
  case spans
  /// Times of the program's own work: longer is worse.
  case work
  /// Times of waiting, which other work on the machine affects first: longer is worse.
  case wait
}

/// The data that a recording must hold before a number is known.
package enum Capture: Sendable {
  /// Without callouts, the named things were not recorded.
  case callouts(String)
  case duePoints
  case highStamps
  case profile

  var words: String {
    switch self {
    case .callouts(let what): what
    case .duePoints: "due points"
    case .highStamps: "high stamps"
    case .profile: "a profile"
    }
  }
}
