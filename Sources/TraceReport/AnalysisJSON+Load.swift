// The property names are the JSON keys.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
import TraceAnalysis

/// A share with four digits behind the point; nil of nothing.
func share(_ part: UInt64, of whole: UInt64) -> Double? {
  whole == 0 ? nil : fourDigits(Double(part) / Double(whole))
}

func fourDigits(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }

extension AnalysisJSON {
  struct CalloutRow: Encodable {
    let kind: String
    let name: String
    let thread: UInt32
    let count: UInt64
    let time_ns: UInt64
    let self_ns: UInt64
    let longest_ns: UInt64
    let longest_start_ns: UInt64
    let worst_pass_ns: UInt64
    let worst_pass_start_ns: UInt64
    let nested_ns: UInt64
    let time_ns_by_mode: [String: UInt64]

    init(_ result: CalloutResult) {
      kind = result.kind
      name = result.name
      thread = result.thread
      count = result.count
      time_ns = result.timeNs
      self_ns = result.selfNs
      longest_ns = result.longestNs
      longest_start_ns = result.longestStartNs
      worst_pass_ns = result.worstPassNs
      worst_pass_start_ns = result.worstPassStartNs
      nested_ns = result.nestedNs
      time_ns_by_mode = Dictionary(result.timeNsByMode.map { ($0.mode, $0.ns) }, uniquingKeysWith: &+)
    }
  }

  struct SourceRow: Encodable {
    let name: String
    let signals: UInt64
    let merged_signals: UInt64
    let callouts: UInt64
    let unsignalled: UInt64
    let negative: UInt64
    let signal_to_callout_ns: DistributionRow

    init(_ result: SourceResult) {
      name = result.name
      signals = result.signals
      merged_signals = result.mergedSignals
      callouts = result.callouts
      unsignalled = result.unsignalled
      negative = result.negative
      signal_to_callout_ns = DistributionRow(result.signalToCalloutNs)
    }
  }

  struct QueueRows: Encodable {
    let block_wait_ns: DistributionRow
    let main_queue_wait_ns: DistributionRow

    init(_ result: QueueResults) {
      block_wait_ns = DistributionRow(result.blockWaitNs)
      main_queue_wait_ns = DistributionRow(result.mainQueueWaitNs)
    }
  }

  struct UtilisationRow: Encodable {
    let thread: UInt32
    let busy_ns: UInt64
    let waiting_ns: UInt64
    @OrNull var utilisation: Double?
    let series: [Bin]

    struct Bin: Encodable {
      let start_ns: UInt64
      let busy_ns: UInt64
      let waiting_ns: UInt64
    }

    init(_ result: UtilisationResult) {
      thread = result.thread
      busy_ns = result.busyNs
      waiting_ns = result.waitingNs
      utilisation = share(result.busyNs, of: result.busyNs &+ result.waitingNs)
      series = result.series.map {
        Bin(start_ns: $0.startNs, busy_ns: $0.busyNs, waiting_ns: $0.waitingNs)
      }
    }
  }

  struct DelayRow: Encodable {
    let p50: UInt64
    let p90: UInt64
    let p99: UInt64
    let max: UInt64
    let mean: UInt64

    init(_ delay: DelayDistribution) {
      p50 = delay.p50
      p90 = delay.p90
      p99 = delay.p99
      max = delay.max
      mean = UInt64(delay.meanNs.rounded())
    }
  }

  struct InputDelayRow: Encodable {
    let thread: UInt32
    let span: UInt64
    let p50: UInt64
    let p90: UInt64
    let p99: UInt64
    let max: UInt64
    let mean: UInt64
    let hangs: UInt64
    let hang: UInt64
    let hang_s_per_hour: Double

    init(_ result: InputDelayResult) {
      let delay = DelayRow(result.delay)
      thread = result.thread
      span = result.spanNs
      p50 = delay.p50
      p90 = delay.p90
      p99 = delay.p99
      max = delay.max
      mean = delay.mean
      hangs = result.hangs
      hang = result.hangNs
      hang_s_per_hour = fourDigits(result.hangRate)
    }
  }
}
