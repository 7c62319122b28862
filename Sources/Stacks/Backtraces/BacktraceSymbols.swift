import CallStacks
import SystemSupport

/// `backtrace_symbols()` of glibc, which `Thread.callStackSymbols` prints on Linux.
///
///     ./css(+0x150e) [0x55c76bda050e]
///     /lib/x86_64-linux-gnu/libc.so.6(__libc_start_main+0x85) [0x7fe59506c305]
enum BacktraceSymbols {
  static func isFrame(_ text: Substring) -> Bool { frame(text) != nil }

  /// Parses a frame. The program may have printed a number in front of it.
  private static func frame(_ text: Substring) -> StackFrame? {
    var text = text.trimmed
    var cursor = Cursor(text)
    _ = cursor.take("#")
    if cursor.number() != nil, let next = cursor.rest.first, " \t:".contains(next) {
      cursor.rest = cursor.rest.drop { " \t:".contains($0) }
      text = cursor.rest
    }
    guard text.last == "]", let open = text.lastPlace(of: "[0x") else { return nil }
    cursor = Cursor(text[open.lowerBound...].dropFirst())
    guard let address = cursor.address(), cursor.rest == "]" else { return nil }
    var frame = StackFrame(address: address)
    let place = text[..<open.lowerBound].trimmed
    // The address lies in no image.
    guard !place.isEmpty else { return frame }
    guard place.last == ")", let bracket = place.lastPlace(of: "(") else { return nil }
    frame.imagePath = place[..<bracket.lowerBound].orNil
    frame.image = frame.imagePath.map { $0[...].fileName }
    let inner = place[bracket.upperBound...].dropLast()
    if let sign = inner.lastIndex(where: { $0 == "+" || $0 == "-" }) {
      cursor = Cursor(inner[inner.index(after: sign)...])
      guard let offset = cursor.address(), cursor.rest.isEmpty else { return nil }
      frame.symbol = inner[..<sign].orNil
      if inner[sign] == "+" {
        if frame.symbol == nil { frame.imageOffset = offset } else { frame.offset = offset }
      }
    } else {
      guard inner.isEmpty else { return nil }
    }
    return frame
  }

  static func read(_ lines: [Line]) throws(BacktraceError) -> Backtrace {
    var builder = BacktraceBuilder()
    var isStack = false
    for line in lines {
      guard let frame = frame(line.text) else {
        // Any other text between two stacks separates them.
        isStack = isStack && line.text.trimmed.isEmpty
        continue
      }
      if !isStack { try builder.begin(BacktraceThread(line: line.number)) }
      isStack = true
      try builder.add(frame, line: line.number)
    }
    return try builder.finish(.backtraceSymbols)
  }
}
