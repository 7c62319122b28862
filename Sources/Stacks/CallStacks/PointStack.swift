/// The longest uninterrupted work of a thread during a stall: the longest run of samples with the same innermost
/// functions, as in Tencent's Matrix.
package struct PointStack: Hashable, Sendable {
  /// The most frequent stack of the run; the first of several.
  package let stack: CallStack
  /// The indices of the samples in the run.
  package let run: Range<Int>
  /// The number of samples in the run, and in total.
  package let samples: UInt64
  package let of: UInt64

  /// Matrix compares only the innermost frame.
  package static let usualDepth = 1

  /// Takes samples in time order. Nil without samples; the first of several equally long runs wins. O(frames).
  package init?(of stacks: [CallStack], depth: Int = usualDepth) {
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
