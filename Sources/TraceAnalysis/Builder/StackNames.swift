import CallStacks
import TraceFormat
import TraceReplay

/// The functions of sampled stacks: as the trace names them, else as somebody looks them up.
struct StackNames {
  /// In the order of the book's, with functions that the compiler inlined.
  let stacks: [[StackFrame]]
  /// Inlined functions beyond the limits.
  let omitted: UInt64

  /// `named` holds the addresses of the book's stacks.
  init(_ book: StackBook, _ named: inout NamedAddresses, _ judge: inout StackJudge) {
    let addresses = book.stacks.map(StackAddress.stack)
    named.keep(Self.depth(addresses, uses: book.uses, named))
    stacks = addresses.map { stack in
      stack.flatMap { address in
        named.frames(at: address).map { filled($0) { $0.isOwn = judge.isOwn($0) } }
      }
    }
    omitted = named.omitted
  }

  /// How many functions each address may have, so that all stacks are within the limits.
  private static func depth(_ stacks: [[StackAddress]], uses: [UInt64], _ named: NamedAddresses) -> Int {
    func fits(_ depth: Int) -> Bool {
      var frames = 0, looks: UInt64 = 0
      for (addresses, uses) in zip(stacks, uses) {
        let own = addresses.reduce(0) { $0 + min(depth, named.functions(at: $1)) }
        frames += own
        looks += uses * UInt64(own)
      }
      return frames <= AnalysisLimits.namedFrames && looks <= UInt64(AnalysisLimits.framesLookedAt)
    }
    // With one function each, the limits of stacks are those of frames.
    var low = 1, high = ReadingLimits.functionsPerAddress
    guard !fits(high) else { return high }
    while low + 1 < high {
      let middle = (low + high) / 2
      if fits(middle) { low = middle } else { high = middle }
    }
    return low
  }
}
