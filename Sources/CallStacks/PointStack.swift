/// Of the samples of one stall, what the thread did for the longest time without a break: the longest run of samples
/// with the same innermost functions, as Tencent's Matrix has it.
public struct PointStack: Hashable, Sendable {
  /// The most frequent stack of the run; of several, the first.
  public let stack: CallStack
  /// Which samples the run is of.
  public let run: Range<Int>
  /// Samples of the run, and all.
  public let samples: UInt64
  public let of: UInt64

  /// Matrix compares the innermost frame alone.
  public static let usualDepth = 1

  /// Of samples in the order of time. Nil without any; of runs of the same length the first counts. Linear in the
  /// number of frames.
  public init?(of stacks: [CallStack], depth: Int = usualDepth) {
    var best = 0..<0
    var bestSamples: UInt64 = 0
    var all: UInt64 = 0
    var start = 0
    var samples: UInt64 = 0
    for (index, stack) in stacks.enumerated() {
      if !stack.hasTop(of: stacks[start], depth: depth) {
        start = index
        samples = 0
      }
      samples = samples.saturated(adding: stack.samples)
      all = all.saturated(adding: stack.samples)
      if samples > bestSamples {
        best = start..<index + 1
        bestSamples = samples
      }
    }
    guard let stack = Self.mostFrequent(of: stacks[best]) else { return nil }
    self.stack = stack
    run = best
    self.samples = bestSamples
    of = all
  }

  private static func mostFrequent(of stacks: ArraySlice<CallStack>) -> CallStack? {
    var counts: [[StackFrame.Identity]: (first: Int, samples: UInt64)] = [:]
    for (index, stack) in zip(stacks.indices, stacks) {
      let key = stack.frames.map(\.identity)
      let known = counts[key] ?? (index, 0)
      counts[key] = (known.first, known.samples.saturated(adding: stack.samples))
    }
    return counts.values.max { ($0.samples, $1.first) < ($1.samples, $0.first) }.map { stacks[$0.first] }
  }
}
