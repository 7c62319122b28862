import CallStacks
import TraceReplay
import TraceResults

/// Adds up the samples of gaps by function, mode, callout and thread. Linear in the frames of all samples, whose number
/// is limited.
struct FunctionBuilder {
  /// The rows, the longest time first.
  private(set) var rows: [FunctionResult] = []
  /// Whether there are more rows than the limit.
  private(set) var isCut = false
  private let sampled: SampledFunctions
  private var places: [Key: Int] = [:]

  private struct Group: Hashable {
    var mode: String
    var callout: String
    var thread: UInt32
  }

  /// A function or a stack in a group.
  private struct Key: Hashable {
    var group: Int
    var number: Int
  }

  init(_ stalls: [StallResult], _ stacks: [SampledStack]) {
    sampled = SampledFunctions(stacks)
    var groups: [Group: Int] = [:]
    var sums: [Key: (stall: Int, samples: UInt64, ns: UInt64)] = [:]
    var keys: [Key] = []
    for (place, stall) in stalls.enumerated() {
      let group = Group(mode: stall.mode, callout: stall.callout, thread: stall.thread)
      let number = groups[group] ?? groups.count
      groups[group] = number
      for sample in stall.stacks {
        let key = Key(group: number, number: sample.number)
        if sums[key] == nil { keys.append(key) }
        sums[key, default: (place, 0, 0)].samples &+= 1
        sums[key]?.ns &+= sample.durationNs
      }
    }
    // The rows of the heaviest stacks stay.
    for key in keys.ordered(by: { (sums[$1]?.ns ?? 0) < (sums[$0]?.ns ?? 0) }) {
      guard let sum = sums[key] else { continue }
      add(key, stalls[sum.stall], samples: sum.samples, ns: sum.ns)
    }
    rows = rows.ordered {
      ($1.heldNs, $1.selfNs, $1.totalNs, $0.function.name)
        < ($0.heldNs, $0.selfNs, $0.totalNs, $1.function.name)
    }
  }

  private mutating func add(_ key: Key, _ stall: StallResult, samples: UInt64, ns: UInt64) {
    let stack = sampled[key.number]
    for function in stack.all {
      let key = Key(group: key.group, number: function)
      let place = places[key] ?? rows.count
      if place == rows.count {
        guard place < AnalysisLimits.functionRows else {
          isCut = true
          continue
        }
        places[key] = place
        rows.append(
          with(FunctionResult()) {
            $0.function = sampled.functions[function]
            $0.mode = stall.mode
            $0.callout = stall.callout
            $0.thread = stall.thread
          })
      }
      rows[place].samples &+= samples
      rows[place].totalNs &+= ns
      if function == stack.innermost { rows[place].selfNs &+= ns }
      if function == stack.own { rows[place].heldNs &+= ns }
    }
  }
}
