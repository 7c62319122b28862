import CallStacks
import TraceFormat
import TraceReplay

/// The functions of sampled stacks: names in the trace come first, then those of the lookup.
struct StackNames {
  /// The stacks in the order of the book, including functions that the compiler inlined.
  let stacks: [[StackFrame]]
  /// The number of inlined functions beyond the limits.
  let omitted: UInt64

  /// Names the stacks. `named` holds the addresses of the book's stacks.
  init(_ book: StackBook, _ named: inout NamedAddresses, _ judge: inout StackJudge) {
    let addresses = book.stacks.map(StackAddress.stack)
    named.keep(Self.depth(addresses, uses: book.uses, named))
    let frames = addresses.map { stack in
      stack.indices.flatMap { place in
        // The outermost address may be no code: where the unwinder lost its way, it ends.
        named.frames(at: stack[place], isRun: place == 0 || place + 1 < stack.count)
      }
    }
    judge.learnSources(frames.lazy.joined())
    stacks = frames.map { stack in stack.map { frame in with(frame) { $0.isOwn = judge.isOwn(frame) } } }
    omitted = named.omitted
  }

  /// Returns the number of functions allowed at each address so that all stacks are within the limits.
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
    // With one function for each address, the limits of stacks equal those of frames.
    let most = ReadingLimits.functionsPerAddress
    return fits(most) ? most : (2..<most).firstPlace { !fits($0) } - 1
  }
}
