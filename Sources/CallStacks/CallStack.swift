/// What a thread was doing at one moment, or at several that looked the same.
public struct CallStack: Hashable, Sendable {
  /// Innermost first.
  public var frames: [StackFrame]
  /// The thread's name and its id in the system, where they are known.
  public var thread: String?
  public var threadID: UInt64?
  /// How often it was seen.
  public var samples: UInt64
  /// What it stands for, in its maker's unit: nanoseconds, or samples.
  public var weight: UInt64
  /// Of one judge's stacks those with the same number have the same frames, and are looked at once.
  public var number: Int?

  /// `weight`: nil = the number of samples.
  public init(
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

  /// The outermost function with a name inside the callout: what the callout called, however deep the wait below it is.
  public static func entry(of frames: [StackFrame]) -> StackFrame? {
    frames.prefix { !PlainFrames.startsCallout(ComparedFrame($0)) }.last { $0.function != nil }
  }

  /// The innermost function of the program's own outside of the outermost run of a loop: it ran the loop.
  public static func runCaller(of frames: [StackFrame]) -> StackFrame? {
    guard let run = frames.lastIndex(where: { PlainFrames.runsLoop(ComparedFrame($0)) }) else { return nil }
    return frames[(run + 1)...].first(where: \.isOwn)
  }

  /// Whether the innermost `depth` functions are the same.
  public func hasTop(of other: CallStack, depth: Int) -> Bool {
    frames.prefix(depth).map(\.identity) == other.frames.prefix(depth).map(\.identity)
  }
}
