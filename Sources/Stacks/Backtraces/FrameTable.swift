import CallStacks

/// The distinct frames of a text, because texts repeat them.
struct FrameTable: Sendable {
  private(set) var frames: [StackFrame] = []
  private var places: [StackFrame: Int] = [:]

  mutating func place(of frame: StackFrame, line: Int) throws(BacktraceError) -> Int {
    if let known = places[frame] { return known }
    guard frames.count < BacktraceLimits.frames else {
      throw BacktraceError(line, "more than \(BacktraceLimits.frames) different frames")
    }
    frames.append(frame)
    places[frame] = frames.count - 1
    return frames.count - 1
  }
}
