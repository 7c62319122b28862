import RunLoopVocabulary

/// A number of a row, and how the numbers of two rows become one.
package struct SummaryField: Sendable {
  package enum Kind: Sendable {
    /// Added.
    case sum
    /// The larger one is kept. The row's `longest_in` names its session.
    case longest
    /// Pairs [value, count], ordered by value: the counts of equal values are added.
    case cells
  }

  package let name: String
  package let kind: Kind
  package let meaning: String

  init(_ name: String, _ kind: Kind = .sum, _ meaning: String) {
    (self.name, self.kind, self.meaning) = (name, kind, meaning)
  }
}

/// A list of a summary. Rows with equal identity become one row when summaries are merged.
///
/// Encoding, decoding, merging, the JSON schema and the page follow from this declaration.
package struct SummaryList: Sendable {
  package let name: String
  /// The strings that identify a row. A string that is not known is empty.
  package let identity: [(name: String, meaning: String)]
  package let fields: [SummaryField]
  package let meaning: String
  /// The index of the field that orders rows by importance: time lost, most first.
  let weight: Int
  /// Whether a line leaves out the list if it is empty. Lines of earlier versions do not have it.
  package let isOptional: Bool

  init(
    _ name: String, _ meaning: String, by identity: [(String, String)], weight: String,
    isOptional: Bool = false, _ fields: [SummaryField]
  ) {
    self.name = name
    self.meaning = meaning
    self.identity = identity.map { (name: $0.0, meaning: $0.1) }
    self.fields = fields
    self.isOptional = isOptional
    self.weight = fields.firstIndex { $0.name == weight } ?? 0
  }

  /// Returns the index of a field.
  package func place(_ field: String) -> Int? { fields.firstIndex { $0.name == field } }

  /// The index of the list in `all`.
  var index: Int { SummaryList.places[name] ?? 0 }

  private static let places = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1.name, $0) })

  var hasLongest: Bool { fields.contains { $0.kind == .longest } }

  /// The field that orders rows by importance.
  package var time: String { fields[weight].name }

  /// The field of the longest one; empty if there is none.
  package var longest: String { fields.first { $0.kind == .longest }?.name ?? "" }

  // MARK: All lists

  package static let recordings = SummaryList(
    "recordings", "what was recorded; also for sessions with losses",
    by: [("capture_level", "activities, callouts, callouts+stacks or imported")], weight: "span_ns",
    [
      SummaryField("sessions", "recordings"), SummaryField("span_ns", "time covered"),
      SummaryField("suspended_ns", "time in which the process did not run"),
      SummaryField("lossy_sessions", "recordings with lost events or damage, left out of all other lists"),
      SummaryField("lost_events", "events that were lost"),
    ])

  package static let loops = SummaryList(
    "loops", "the thread that receives input: the main thread, or else the one whose loops ran longest",
    by: [],
    weight: "busy_ns",
    [
      SummaryField("sessions", "sessions in which a loop ran"),
      SummaryField("time_ns", "time in runs of its loops"),
      SummaryField("busy_ns", "the part without waiting"),
      SummaryField("hangs", "busy intervals of 250 ms or more"),
      SummaryField("hang_ns", "their total time"),
      SummaryField("sessions_with_hangs", "sessions with at least one"),
    ])

  package static let modes = SummaryList(
    "modes", "modes of loops",
    by: [("mode", "name of the mode"), ("role", "main = the thread that receives input, other")],
    weight: "busy_ns",
    [
      SummaryField("time_ns", "time in runs of the mode"),
      SummaryField("busy_ns", "the part without waiting"),
      SummaryField("passes", "complete passes"), SummaryField("polls", "passes that did not wait"),
      SummaryField("wakes", "waits that ended"),
      SummaryField("wakes_for_nothing", "wakes after which only observers ran"),
      SummaryField("longest_pass_ns", .longest, "longest pass"),
      SummaryField("pass_ns", .cells, "lengths of passes"),
      SummaryField("wake_to_callout_ns", .cells, "times from a wake to the first callout"),
    ])

  package static let busy = SummaryList(
    "busy", "busy intervals of 100 ms or more on the thread that receives input",
    by: [("class", "brief_unresponsiveness, microhang, hang or severe_hang")], weight: "time_ns",
    [
      SummaryField("count", "intervals"), SummaryField("time_ns", "total time"),
      SummaryField("longest_ns", .longest, "longest interval"),
    ])

  package static let timers = SummaryList(
    "timers", "timers by name, for recordings with due points; due = fired + skipped + withdrawn + pending",
    by: [("timer", "name without the parts that a rebuild changes"), ("modes", "modes of the timer")],
    weight: "overdue_ns",
    [
      SummaryField("sessions", "sessions with the timer"), SummaryField("due", "due points"),
      SummaryField("fired", "due points at which it fired"),
      SummaryField("skipped", "due points without a fire"),
      SummaryField("withdrawn", "due points that the program withdrew"),
      SummaryField("pending", "due points that were still open at the end"),
      SummaryField("overdue_ns", "lateness of all fires"),
    ]
      + Cause.allCases.map { SummaryField("skipped_\($0.name)", "skipped, cause \($0.name)") }
      + Cause.allCases.map {
        SummaryField("overdue_\($0.name)_ns", "lateness of all fires, cause \($0.name)")
      }
      + [
        SummaryField("longest_lateness_ns", .longest, "largest lateness of a fire"),
        SummaryField("lateness_ns", .cells, "lateness of fires"),
      ])

  package static let frames = SummaryList(
    "frames", "judged frame sources, if there are any; without the time of a render server",
    by: [("timer", "name without the parts that a rebuild changes")], weight: "hitch_ns", isOptional: true,
    [
      SummaryField("sessions", "sessions with the source"), SummaryField("frames", "frames"),
      SummaryField("on_time", "frames that were ready before the next due point"),
      SummaryField("late", "frames that were ready later"),
      SummaryField("hitches", "times in which a frame was overdue"),
      SummaryField("hitch_ns", "their total time"),
      SummaryField("active_ns", "time in which the source was active"),
      SummaryField("longest_hitch_ns", .longest, "longest hitch"),
    ])

  package static let callouts = SummaryList(
    "callouts", "callouts by kind and name",
    by: [
      ("kind", "timer, source0, block …"), ("name", "name without the parts that a rebuild changes"),
      ("role", "main = the thread that receives input, other"),
    ], weight: "self_ns",
    [
      SummaryField("sessions", "sessions with the callout"), SummaryField("count", "callouts"),
      SummaryField("self_ns", "their time without callouts and runs inside them"),
      SummaryField("longest_ns", .longest, "longest callout"),
    ])

  package static let queues = SummaryList(
    "queues", "queues, pools and actors other than the main queue, if they were recorded",
    by: [
      ("queue", "label or type, without the parts that a rebuild changes; empty = no name"),
      ("kind", "serial, concurrent, global, cooperative_pool, actor or executor; empty = not known"),
    ], weight: "waited_ns", isOptional: true,
    [
      SummaryField("sessions", "sessions with work of the queue"),
      SummaryField("queued", "how often work was queued"),
      SummaryField("slices", "slices of work that began"),
      SummaryField("waited_ns", "total wait of the work, also of work that still waited at the end"),
      SummaryField("ran_ns", "total time of the slices, also of those that still ran at the end"),
      SummaryField("longest_wait_ns", .longest, "longest wait"),
      SummaryField("wait_ns", .cells, "waits"), SummaryField("run_ns", .cells, "times of slices"),
    ])

  package static let states = SummaryList(
    "states", "values of the state that splits the summary, if it was made with `summarize --by`",
    by: [("state", "name of the state"), ("value", "its value; empty = it had none")], weight: "hang_ns",
    isOptional: true,
    [
      SummaryField("sessions", "sessions in which the state had the value"),
      SummaryField("time_ns", "time in which it had the value"),
      SummaryField("busy_ns", "time without waiting of the thread that receives input"),
      SummaryField("hangs", "busy intervals of 250 ms or more that began there"),
      SummaryField("hang_ns", "their total time"),
      SummaryField("longest_hang_ns", .longest, "longest of them"),
      SummaryField("due", "due points of timers"), SummaryField("skipped", "due points without a fire"),
      SummaryField("overdue_ns", "lateness of all fires"),
      SummaryField("hitches", "hitches of the judged frame sources that began there"),
      SummaryField("hitch_ns", "their total time"),
      SummaryField("frames_active_ns", "time in which those frame sources were active"),
    ])

  package static let stalls = SummaryList(
    "stalls", "gaps with sampled stacks, by the function to blame",
    by: [
      ("function", "innermost function of the program's own images; empty = none"), ("image", "its file"),
      ("cause", "what held the thread"),
    ], weight: "time_ns",
    [
      SummaryField("sessions", "sessions with the stall"), SummaryField("count", "stalls"),
      SummaryField("time_ns", "total length"), SummaryField("samples", "sampled stacks"),
      SummaryField("longest_ns", .longest, "longest stall"),
    ])

  package static let findings = SummaryList(
    "findings", "findings", by: [("rule", "RL001 …"), ("severity", "error, warning or info")],
    weight: "sessions",
    [
      SummaryField("sessions", "sessions with the finding"), SummaryField("subjects", "findings"),
      SummaryField("weight_ns", "time lost, by which findings are ranked"),
    ])

  package static let measures = SummaryList(
    "measures", "one number for each session and question: what builds are judged by",
    by: [
      ("question", "see docs/reference/commands/fleet.md"),
      ("subject", "mode, timer, callout, queue or STATE=VALUE; empty = the session"),
    ],
    weight: "sessions",
    [
      SummaryField("sessions", "sessions with the number"),
      SummaryField("values", .cells, "the numbers of sessions, rounded to 0.4 %"),
    ])

  package static let all = [
    recordings, loops, modes, busy, timers, frames, callouts, queues, states, stalls, findings, measures,
  ]

  /// The name of the row that combines those beyond the limit.
  package static let others = "(other)"
}

extension SummaryField {
  init(_ name: String, _ meaning: String) { self.init(name, .sum, meaning) }
}
