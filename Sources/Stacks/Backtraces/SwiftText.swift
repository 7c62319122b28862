import CallStacks
import SystemSupport

/// The report that Swift's runtime prints on a crash (`SWIFT_BACKTRACE`).
///
///       3 [ra]          0x000056550900a4e1 Store.read(_:) + 64 in crash at /src/main.swift:4:53
enum SwiftText {
  static func begins(_ text: Substring) -> Bool {
    text.has("Program crashed: ") || text.has("*** Signal ") && text.has("Backtracing from ")
      || text.hasPrefix("Thread ") && text.trimmed.hasSuffix(" crashed:")
  }

  static func read(_ lines: [Line]) throws(BacktraceError) -> Backtrace {
    var builder = BacktraceBuilder()
    var isStack = false
    var isImages = false
    var hasGap = false
    for line in lines {
      if let thread = thread(line) {
        try builder.begin(thread)
        (isStack, isImages, hasGap) = (true, false, false)
      } else if ["Registers:", "Images"].contains(where: line.text.hasPrefix) {
        isStack = false
        isImages = line.text.hasPrefix("Images")
      } else if isImages {
        image(line.text, into: &builder)
      } else if isStack, line.text.trimmed == "..." {
        hasGap = true
        try builder.addGap(line: line.number)
      } else if isStack, let (number, frame) = try frame(line) {
        guard number == UInt64(builder.frameCount) || hasGap else {
          throw BacktraceError(
            line.number, "expected frame \(builder.frameCount), but found frame \(number)")
        }
        try builder.add(frame, line: line.number)
      }
    }
    return try builder.finish(.swift)
  }

  /// Parses `Thread 0 "crash" crashed:`.
  private static func thread(_ line: Line) -> BacktraceThread? {
    let text = line.text.trimmed
    guard line.text.hasPrefix("Thread "), text.last == ":" else { return nil }
    var cursor = Cursor(text.dropFirst(7))
    guard let number = cursor.number() else { return nil }
    var thread = BacktraceThread(line: line.number)
    thread.number = number
    thread.isMain = number == 0
    thread.isAttributed = text.hasSuffix(" crashed:")
    let rest = cursor.rest
    if let open = rest.firstIndex(of: "\""), let close = rest.lastIndex(of: "\""), open < close {
      thread.name = rest[rest.index(after: open)..<close].orNil
    }
    return thread
  }

  /// Parses a frame; nil for the source lines between frames.
  private static func frame(_ line: Line) throws(BacktraceError) -> (UInt64, StackFrame)? {
    var cursor = Cursor(line.text)
    cursor.blanks()
    guard let number = cursor.number(), cursor.rest.first == " " else { return nil }
    cursor.blanks()
    var frame = StackFrame()
    while cursor.rest.first == "[" {
      switch cursor.word() {
      case "[inlined]": frame.isInlined = true
      case "[system]", "[thunk]": frame.isMarkedSystem = true
      default: break
      }
      cursor.blanks()
    }
    frame.address = cursor.address()
    cursor.blanks()
    var rest = cursor.rest.trimmed
    guard let at = inMark(rest) else {
      guard frame.address != nil else { return nil }
      // Nothing is known about the address, except possibly the image.
      if !rest.isEmpty, !rest.hasPrefix("in ") { frame.symbol = String(rest) }
      return (number, frame)
    }
    let name = rest[..<at.lowerBound]
    rest = rest[at.upperBound...]
    if let place = rest.place(of: " at ") {
      (frame.file, frame.line) = rest[place.upperBound...].sourcePlace
      rest = rest[..<place.lowerBound]
    }
    frame.image = rest.trimmed.orNil
    let (function, offset) = name.withoutOffset
    frame.demangled = function.trimmed.orNil
    frame.symbol = frame.demangled
    frame.offset = offset
    if frame.image == nil {
      throw BacktraceError(line.number, "frame \(number) names no image after 'in'", isHalfLine: true)
    }
    return (number, frame)
  }

  /// Returns the ` in ` between a function and its image. Function names and paths may contain ` in ` and ` at `
  /// themselves.
  private static func inMark(_ text: Substring) -> Range<Substring.Index>? {
    var first: Range<Substring.Index>?
    var rest = text
    while let mark = rest.place(of: " in ") {
      first = mark
      rest = text[mark.upperBound...]
      let image = rest.prefix { $0 != " " }
      let behind = rest[image.endIndex...]
      if behind.isEmpty || behind.hasPrefix(" at ") { return mark }
    }
    return first
  }

  /// Parses `0x0000565509008000–0x000056550900abe0 7a09713b9b7c crash  /tmp/crash`.
  private static func image(_ text: Substring, into builder: inout BacktraceBuilder) {
    var cursor = Cursor(text.trimmed)
    guard cursor.address() != nil, let slash = cursor.rest.firstIndex(of: "/") else { return }
    let path = cursor.rest[slash...].trimmed
    builder.images.add(name: nil, path: String(path), id: nil)
  }
}
