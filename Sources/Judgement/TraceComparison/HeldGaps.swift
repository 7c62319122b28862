import CallStacks
import TraceAnalysis

/// The time for which a function held the gaps of one mode around one callout: it was the innermost function of the
/// program itself, by `StallResult.heldNs`.
package struct HeldTime: Sendable {
  /// The number of sampled gaps of the mode and callout, with the function or without it.
  package internal(set) var gaps: UInt64 = 0
  package private(set) var timeNs: UInt64 = 0
  /// The sum of the squared times in ns².
  private var squares = 0.0

  package var meanNs: UInt64 { gaps == 0 ? 0 : timeNs / gaps }

  mutating func add(_ ns: UInt64) {
    timeNs = timeNs.saturated(adding: ns)
    squares += Double(ns) * Double(ns)
  }

  /// The mean in each gap.
  var mean: Double { Double(timeNs) / Double(max(gaps, 1)) }

  /// The squared standard error of the mean, for two gaps or more.
  var squaredError: Double {
    let count = Double(gaps)
    return max(0, squares - count * mean * mean) / max(count - 1, 1) / max(count, 1)
  }
}

extension StallResult {
  /// The time for which each sample's function counts. Where another function follows, it took over at any moment between
  /// the two samples, so each gets half of that time. If the earlier one got all of it, moving a function within a callout
  /// would seem to change its neighbours. For the same reason the first function counts before its sample for as long as
  /// after it. Nothing shows what ran in the rest of the gap's beginning.
  fileprivate var heldNs: [UInt64] {
    let distances = stacks.map { $0.durationNs &- $0.unseenNs }
    return distances.indices.map { place in
      let after = place == distances.count - 1 ? distances[place] : distances[place] / 2
      guard place > 0 else { return min(stacks[0].unseenNs, after) &+ after }
      let before = distances[place - 1] &- distances[place - 1] / 2
      return before &+ after
    }
  }
}

/// The functions that held the sampled gaps of one trace. Gaps with a suspension are left out, because samples count its
/// time.
struct HeldGaps {
  /// The loop's thread by its role, and the mode.
  struct Mode: Hashable {
    var thread: String
    var mode: String
  }

  /// Gaps of one mode around one callout; its name is free of what a rebuild changes.
  struct Group: Hashable {
    var mode: Mode
    var callout: String
  }

  /// A function in a group of gaps.
  struct Key: Hashable {
    var group: Group
    var function: String
    var image: String?
  }

  /// The number of gaps of each group.
  private(set) var gaps: [Group: UInt64] = [:]
  /// The modes with gaps, sampled or not.
  private(set) var modes: Set<Mode> = []
  private(set) var keys: [Key] = []
  private var times: [Key: HeldTime] = [:]
  /// The names of functions as the trace has them, with the line of the first sample.
  private(set) var frames: [Key: StackFrame] = [:]
  /// The gap time of each group, and the part for which functions without a name held it.
  private var sums: [Group: (all: UInt64, unnamed: UInt64)] = [:]

  /// Reads the gaps from the threshold on. O(samples).
  init(_ analysis: Analysis, from thresholdNs: UInt64) {
    let roles = ThreadRoles(analysis.trace.threads)
    for gap in analysis.gaps where gap.durationNs >= thresholdNs {
      modes.insert(Mode(thread: roles[gap.thread], mode: gap.mode))
    }
    let sampled = SampledFunctions(analysis.sampledStacks)
    let plain = sampled.functions.map { $0.isOwn ? $0.function.map { BuildFreeName($0).text } : nil }
    var callouts: [String: String] = [:]
    for stall in analysis.stalls where stall.durationNs >= thresholdNs {
      let all = stall.stacks.map(\.durationNs).saturatedSum
      guard all <= stall.durationNs else { continue }
      let callout = callouts[stall.callout] ?? BuildFreeName(stall.callout).text
      callouts[stall.callout] = callout
      let group = Group(mode: Mode(thread: roles[stall.thread], mode: stall.mode), callout: callout)
      gaps[group, default: 0] += 1
      let heldNs = stall.heldNs
      sums[group, default: (0, 0)].all &+= heldNs.saturatedSum
      var held: [Key: UInt64] = [:]
      for (sample, ns) in zip(stall.stacks, heldNs) {
        let stack = sampled[sample.number]
        guard let own = stack.own, let frame = stack.ownFrame else { continue }
        guard let name = plain[own] else {
          sums[group]?.unnamed &+= ns
          continue
        }
        let key = Key(group: group, function: name, image: sampled.functions[own].image)
        if frames[key] == nil {
          frames[key] = frame
          keys.append(key)
        }
        held[key, default: 0] &+= ns
      }
      for (key, ns) in held { times[key, default: HeldTime()].add(ns) }
    }
  }

  func held(_ key: Key) -> HeldTime {
    var time = times[key] ?? HeldTime()
    time.gaps = gaps[key.group] ?? 0
    return time
  }

  /// The largest share of a group's time that functions without a name may hold: a tenth. Beyond it, a name may be
  /// missing in one trace only.
  func isNamed(_ group: Group) -> Bool {
    sums[group].map { $0.unnamed <= $0.all / 10 } ?? true
  }
}
