import CRLTraceShims
import Foundation
import ScenarioRunners
import TraceFormat

/// The events of *tight*: passes of a run loop with no work between their eight events.
///
/// The pattern is that of tools/benchmark/reference/workload.h: objects follow Zipf's law, and the mode changes
/// rarely. The differences between passes are computed in advance, so that the measured loop only reads them.
struct TightWorkload: ~Copyable {
  static let eventsPerPass = 8
  static let kinds: [EventKind] = [
    .beforeTimersLow, .beforeSourcesLow, .source0Begin, .source0End, .beforeWaitingLow, .afterWaitingLow,
    .timerBegin, .timerEnd,
  ]

  private struct Plan {
    var source: UInt32
    var timer: UInt32
    var mode: UInt8
  }

  private static let planCount = 1 << 16
  private static let sources = 64
  private static let timers = 192
  private static let modes: UInt64 = 3
  private static let passesPerModeChange: UInt64 = 2000
  private static let loop: UInt32 = 1
  private static let firstSource: UInt32 = 16
  private static let firstTimer: UInt32 = 256

  private let plans: UnsafeMutablePointer<Plan>

  init() {
    plans = .allocate(capacity: TightWorkload.planCount)
    var random = SplitMix64(seed: 42)
    let sources = ZipfRanks(count: TightWorkload.sources)
    let timers = ZipfRanks(count: TightWorkload.timers)
    var mode: UInt8 = 1
    for pass in 0..<TightWorkload.planCount {
      if random.next() % TightWorkload.passesPerModeChange == 0 {
        mode = UInt8(random.next() % TightWorkload.modes) + 1
      }
      let source = TightWorkload.firstSource + sources.rank(random.nextUniform())
      let timer = TightWorkload.firstTimer + timers.rank(random.nextUniform())
      (plans + pass).initialize(to: Plan(source: source, timer: timer, mode: mode))
    }
  }

  deinit { plans.deallocate() }

  /// Emits passes as the probe does. All events of a pass have the mode of the run.
  @inline(never)
  func emit(passes: Range<Int>) {
    for pass in passes {
      let plan = plans[pass & (TightWorkload.planCount - 1)]
      rlt_emit_in_mode(EventKind.beforeTimersLow.rawValue, plan.mode, TightWorkload.loop)
      rlt_emit_in_mode(EventKind.beforeSourcesLow.rawValue, plan.mode, TightWorkload.loop)
      rlt_emit_in_mode(EventKind.source0Begin.rawValue, plan.mode, plan.source)
      rlt_emit_in_mode(EventKind.source0End.rawValue, plan.mode, plan.source)
      rlt_emit_in_mode(EventKind.beforeWaitingLow.rawValue, plan.mode, TightWorkload.loop)
      rlt_emit_in_mode(EventKind.afterWaitingLow.rawValue, plan.mode, TightWorkload.loop)
      rlt_emit_in_mode(EventKind.timerBegin.rawValue, plan.mode, plan.timer)
      rlt_emit_in_mode(EventKind.timerEnd.rawValue, plan.mode, plan.timer)
    }
  }
}

/// Ranks by Zipf's law with exponent 1: the share of rank r is proportional to 1 / (r + 1).
private struct ZipfRanks {
  private let cumulative: [Double]

  init(count: Int) {
    var total = 0.0
    cumulative = (1...count).map { rank in
      total += 1 / Double(rank)
      return total
    }
  }

  /// Returns the rank at a quantile of the distribution. `uniform` is from 0 to 1.
  func rank(_ uniform: Double) -> UInt32 {
    let last = cumulative.count - 1
    return UInt32(cumulative.firstIndex { $0 >= uniform * cumulative[last] } ?? last)
  }
}

extension SplitMix64 {
  fileprivate mutating func nextUniform() -> Double { (Double(next() >> 11) + 0.5) * 0x1p-53 }
}
