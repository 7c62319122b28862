import CallStacks

/// The distinct frames of a text, because texts repeat them.
struct FrameTable: Sendable {
  private(set) var frames: [StackFrame] = []
  private var places: [StackFrame: Int] = [:]

  /// The texts that tools write for an unknown name or image.
  private static let unknown: Set<String> = ["", "?", "??", "???", "<unknown>", "<redacted>", "(null)"]

  mutating func place(of frame: StackFrame, line: Int) throws(BacktraceError) -> Int {
    var frame = frame
    if frame.symbol.map(Self.unknown.contains) ?? false { frame.symbol = nil }
    if frame.demangled.map(Self.unknown.contains) ?? false { frame.demangled = nil }
    if frame.image.map(Self.unknown.contains) ?? false { frame.image = nil }
    if let known = places[frame] { return known }
    guard frames.count < BacktraceLimits.frames else {
      throw BacktraceError(line, "more than \(BacktraceLimits.frames) different frames")
    }
    frames.append(frame)
    places[frame] = frames.count - 1
    return frames.count - 1
  }
}
