import TraceAnalysis
import TraceFormat

/// The subject of a row, with a name that is the same in every recording: no ids, no times.
package enum Subject: Hashable, Sendable {
  case trace
  /// A mode on the loop of a thread, by the thread's role.
  case session(thread: String, mode: String)
  case timer(TimerIdentity)
  case callout(thread: String, kind: String, name: String)
  case source(name: String)
  /// A queue other than the main queue. All queues of a kind without a name, which is then empty, are one subject.
  case queue(name: String, kind: String)
  /// A value of a state of the program; nil = the state has none.
  case state(name: String, value: String?)

  /// The section in JSON.
  package var kind: String {
    switch self {
    case .trace: "trace"
    case .session: "mode"
    case .timer: "timer"
    case .callout: "callout"
    case .source: "source"
    case .queue: "queue"
    case .state: "state"
    }
  }

  /// The parts of the name; nil = not a part of this kind.
  package var names: (thread: String?, mode: String?, kind: String?, name: String?, timer: TimerIdentity?) {
    switch self {
    case .trace: (nil, nil, nil, nil, nil)
    case .session(let thread, let mode): (thread, mode, nil, nil, nil)
    case .timer(let timer): (nil, nil, nil, timer.name, timer)
    case .callout(let thread, let kind, let name): (thread, nil, kind, name, nil)
    case .source(let name): (nil, nil, nil, name, nil)
    case .queue(let name, let kind): (nil, nil, kind, name, nil)
    case .state(let name, let value): (nil, nil, name, value, nil)
    }
  }

  /// The label of a timer without the word `timer`; otherwise the whole label.
  package var timerLabel: String {
    if case .timer(let timer) = self { timer.labelInTable } else { label }
  }

  /// Returns the changes since `former`, in words. Renumbered and moved code is not a change.
  func changes(from former: Subject) -> [String] {
    switch (self, former) {
    case (.timer(let timer), .timer(let former)): timer.changes(from: former)
    case (.callout(_, _, let name), .callout(_, _, let former)): nameChange(from: former, to: name)
    default: []
    }
  }

  /// Short text for display, with names that are safe to print on a terminal.
  package var label: String {
    switch self {
    case .trace: "trace"
    case .session(let thread, let mode): "\(harmless(mode)) (\(harmless(thread, limit: 20)))"
    case .timer(let timer): timer.label
    case .callout(let thread, let kind, let name):
      "\(harmless(kind)) \"\(harmless(name))\" (\(harmless(thread, limit: 20)))"
    case .source(let name): "source \"\(harmless(name))\""
    case .queue(let name, let kind):
      ([QueueKind.actor.name, QueueKind.executor.name].contains(kind) ? kind : "queue")
        + (name.isEmpty ? " without a name" : " \"\(harmless(name))\"")
    case .state(let name, let value):
      "state \(harmless(name)) " + (value.map { "\"\(harmless($0))\"" } ?? "without a value")
    }
  }
}

/// A timer class without its loop.
package struct TimerIdentity: Hashable, Sendable {
  package var name: String
  package var site: String
  /// 0 = one-shot; nil = many intervals.
  package var intervalNs: UInt64?
  /// Sorted.
  package var modes: [String]

  var label: String { "timer \(labelInTable)" }

  var labelInTable: String {
    "\"\(harmless(name))\" " + (intervalNs == 0 ? "(one-shot)" : "every \(every(intervalNs))")
  }

  /// Returns the changes since `former`, in words.
  func changes(from former: TimerIdentity) -> [String] {
    var changes = nameChange(from: former.name, to: name)
    if intervalNs != former.intervalNs {
      changes.append("interval: \(every(former.intervalNs)) → \(every(intervalNs))")
    }
    if modes != former.modes { changes.append("modes: \(former.modeNames) → \(modeNames)") }
    // A rebuild moves even unchanged code.
    if BuildFreeName(site) != BuildFreeName(former.site) {
      changes.append("site: \(harmless(former.site, limit: 80)) → \(harmless(site, limit: 80))")
    }
    return changes
  }

  private func every(_ intervalNs: UInt64?) -> String {
    intervalNs.map(Units.duration) ?? "various intervals"
  }

  private var modeNames: String {
    modes.isEmpty ? "none" : modes.map { harmless($0) }.joined(separator: ", ")
  }
}

private func nameChange(from former: String, to name: String) -> [String] {
  BuildFreeName(name) == BuildFreeName(former)
    ? [] : ["name: \(harmless(former, limit: 80)) → \(harmless(name, limit: 80))"]
}

/// The roles of threads, which are the same in every recording of the program.
struct ThreadRoles {
  private let roles: [UInt32: String]

  init(_ threads: [ThreadDefinition]) {
    roles = Dictionary(
      threads.map { ($0.index, $0.mainName ?? ($0.name.isEmpty ? "thread without a name" : $0.name)) },
      uniquingKeysWith: { first, _ in first })
  }

  subscript(_ index: UInt32) -> String { roles[index] ?? "thread without a name" }
}
