/// A stack of a thread at one moment, or at several moments with the same stack.
package struct CallStack: Hashable, Sendable {
  /// The frames, innermost first.
  package var frames: [StackFrame]
  /// The thread's name and its id in the system; nil = not known.
  package var thread: String?
  package var threadID: UInt64?
  /// The number of samples with this stack.
  package var samples: UInt64
  /// The weight of the stack in the unit that its creator uses: nanoseconds or samples.
  package var weight: UInt64
  /// Stacks with the same number have the same frames; a judge examines them once.
  package var number: Int?

  /// `weight`: nil = the number of samples.
  package init(
    frames: [StackFrame], thread: String? = nil, threadID: UInt64? = nil, samples: UInt64 = 1,
    weight: UInt64? = nil, number: Int? = nil
  ) {
    self.frames = frames
    self.thread = thread
    self.threadID = threadID
    self.samples = samples
    self.weight = weight ?? samples
    self.number = number
  }

  /// Returns the outermost named function inside the callout: the one that the callout called, however deep the wait
  /// is below it.
  package static func entry(of frames: [StackFrame]) -> StackFrame? {
    frames.prefix { !PlainFrames.startsCallout(ComparedFrame($0)) }.last { $0.function != nil }
  }

  /// Returns the program's innermost function outside the outermost run of a loop: the one that ran the loop.
  package static func runCaller(of frames: [StackFrame]) -> StackFrame? {
    guard let run = frames.lastIndex(where: { PlainFrames.runsLoop(ComparedFrame($0)) }) else { return nil }
    return frames[(run + 1)...].first(where: \.isOwn)
  }

  /// Returns the frames inside the innermost function that ran a loop.
  package static func insideLoop(_ frames: ArraySlice<StackFrame>) -> ArraySlice<StackFrame> {
    frames.prefix { !PlainFrames.runsLoop(ComparedFrame($0)) }
  }

  /// Returns whether a function waits in a sync call to a dispatch queue inside a block that the same function runs
  /// with a sync call.
  package static func waitsInsideOwnSync(_ frames: [StackFrame], function: StackFrame) -> Bool {
    guard let inner = frames.firstIndex(where: { $0.identity == function.identity }),
      frames[..<inner].contains(where: callsSync)
    else { return false }
    return frames.indices.dropFirst(inner + 2).contains { place in
      frames[place].identity == function.identity && callsSync(frames[place - 1])
    }
  }

  private static func callsSync(_ frame: StackFrame) -> Bool {
    ComparedFrame(frame).function.map(LockWait.syncCalls.anyMatches) ?? false
  }

  /// Returns whether the innermost `depth` functions are the same.
  package func hasTop(of other: CallStack, depth: Int) -> Bool {
    frames.prefix(depth).map(\.identity) == other.frames.prefix(depth).map(\.identity)
  }
}
