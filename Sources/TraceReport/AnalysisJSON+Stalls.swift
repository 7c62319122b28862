// The property names are the JSON keys.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
import TraceAnalysis

extension AnalysisJSON {
  struct DetectorRow: Encodable {
    let name: String
    let rule: String
    let thread: UInt32
    let count: Int
    let reports: [Report]

    struct Report: Encodable {
      let start_ns: UInt64
      let duration_ns: UInt64
      let what: String
      @OrNull var callout: String?
    }

    init(_ result: DetectorResult) {
      name = result.rule.rawValue
      rule = result.rule.rule
      thread = result.thread
      count = result.count
      reports = result.reports.map {
        Report(start_ns: $0.startNs, duration_ns: $0.durationNs, what: $0.what, callout: $0.callout)
      }
    }
  }

  struct IncidentRow: Encodable {
    let start_ns: UInt64
    let duration_ns: UInt64
    let suspended_ns: UInt64
    let longest_gap_ns: UInt64
    let longest_gap_after: String
    @OrNull var callout: String?
    let reported_by: [String]
    /// By detector that is silent.
    let silent_because: [String: String]

    init(_ result: IncidentResult, _ rules: [DetectorRule]) {
      start_ns = result.startNs
      duration_ns = result.durationNs
      suspended_ns = result.suspendedNs
      longest_gap_ns = result.longestGapNs
      longest_gap_after = result.longestGapAfter.name
      callout = result.callout
      let judged = zip(rules, result.silence)
      reported_by = judged.filter { $0.1 == nil }.map(\.0.rawValue)
      silent_because = Dictionary(
        uniqueKeysWithValues: judged.compactMap { rule, reason in reason.map { (rule.rawValue, $0) } })
    }
  }

  struct LifeCycleRows: Encodable {
    let phases: [PhaseRow]
    let stays: [StayRow]
    let tasks: [TaskRow]
    let tasks_used_ns: UInt64
    let tasks_covered_ns: UInt64
    let services: [ServiceRow]
    let unprotected: [SpanRow]
    let unprotected_ns: UInt64
    let timers: [TimerLossRow]

    struct PhaseRow: Encodable {
      let phase: String
      let start_ns: UInt64
      let duration_ns: UInt64
      @OrNull var limit_ns: UInt64?
      let longest_busy_ns: UInt64
    }

    struct StayRow: Encodable {
      let start_ns: UInt64
      let duration_ns: UInt64
      @OrNull var wall_ns: Int64?
      @OrNull var boot_ns: UInt64?
      let suspended_ns: UInt64
      let doubled_marks: UInt64
      let open: Bool
    }

    struct TaskRow: Encodable {
      let name: String
      let start_ns: UInt64
      let used_ns: UInt64
      let budget_ns: UInt64
      let left_ns: UInt64
      let outcome: String
    }

    struct ServiceRow: Encodable {
      let name: String
      let on_ns: UInt64
      let starts: UInt64
      let duty_cycle: Double
    }

    struct SpanRow: Encodable {
      let start_ns: UInt64
      let duration_ns: UInt64
    }

    struct TimerLossRow: Encodable {
      let name: String
      let lost: UInt64
      let compensation_ns: UInt64
    }

    init(_ life: LifeCycleResult) {
      phases = life.phases.map {
        PhaseRow(
          phase: $0.phase.name, start_ns: $0.startNs, duration_ns: $0.durationNs, limit_ns: $0.limitNs,
          longest_busy_ns: $0.longestBusyNs)
      }
      stays = life.stays.map {
        StayRow(
          start_ns: $0.startNs, duration_ns: $0.durationNs, wall_ns: $0.wallNs, boot_ns: $0.bootNs,
          suspended_ns: $0.suspendedNs, doubled_marks: $0.doubledMarks, open: $0.isOpen)
      }
      tasks = life.tasks.map {
        TaskRow(
          name: $0.name, start_ns: $0.startNs, used_ns: $0.usedNs, budget_ns: $0.budgetNs,
          left_ns: $0.leftNs, outcome: $0.outcome.rawValue)
      }
      tasks_used_ns = life.tasksUsedNs
      tasks_covered_ns = life.tasksCoveredNs
      services = life.services.map {
        ServiceRow(name: $0.name, on_ns: $0.onNs, starts: $0.starts, duty_cycle: fourDigits($0.dutyCycle))
      }
      unprotected = life.unprotected.map { SpanRow(start_ns: $0.startNs, duration_ns: $0.durationNs) }
      unprotected_ns = life.unprotectedNs
      timers = life.timers.map {
        TimerLossRow(name: $0.name, lost: $0.lost, compensation_ns: $0.compensationNs)
      }
    }
  }
}
