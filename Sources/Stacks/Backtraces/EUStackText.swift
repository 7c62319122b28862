import CallStacks
import SystemSupport

/// The output of `eu-stack` of elfutils, and of `pstack` where that is the same program.
///
///     TID 2710:
///     #0  0x00007f4f6c0fdfe9 clock_nanosleep@@GLIBC_2.17 - /usr/lib/libc.so.6
///         ./nptl/clock_nanosleep.c:78:5
///     #1  0x00005580a1b2c123 main
enum EUStackText {
  /// Returns whether the line is a frame of eu-stack. A frame of gdb has `in` after its address.
  static func isFrame(_ text: Substring) -> Bool { frame(text) != nil }

  private static func frame(_ text: Substring) -> (number: UInt64, frame: StackFrame)? {
    var cursor = Cursor(text)
    guard cursor.take("#"), let number = cursor.number() else { return nil }
    cursor.blanks()
    guard let address = cursor.address() else { return nil }
    // `- 1` marks a return address, which lies after the call.
    _ = cursor.take(" - 1 ")
    cursor.blanks()
    guard !cursor.rest.hasPrefix("in "), cursor.rest.trimmed != "in" else { return nil }
    var frame = StackFrame(address: address)
    var name = Substring(" " + cursor.rest.trimmed)
    if let dash = name.lastPlace(of: " - /") {
      let path = name[name.index(dash.upperBound, offsetBy: -1)...]
      frame.imagePath = String(path)
      frame.image = path.fileName
      name = name[..<dash.lowerBound]
    } else if let dash = name.lastPlace(of: " - [") {
      // An image of the kernel: [vdso: 2710].
      frame.image = "[\(name[dash.upperBound...].prefix { $0.isLetter })]"
      name = name[..<dash.lowerBound]
    }
    if let version = name.place(of: "@") { name = name[..<version.lowerBound] }
    frame.symbol = name.trimmed.orNil
    return (number, frame)
  }

  /// Parses `./nptl/clock_nanosleep.c:78:5` on a line of its own.
  private static func place(_ text: Substring) -> (file: String, line: Int?)? {
    guard text.first == " " || text.first == "\t" else { return nil }
    let place = text.trimmed.sourcePlace
    return place.line == nil || place.file.contains(" ") ? nil : place
  }

  /// Parses `[93ac61ec…]@0x7f4f6c01e000+0xdffe9`, written with `-b`: the image's build id and its start.
  private static func build(_ text: Substring) -> (id: String, base: UInt64)? {
    var cursor = Cursor(text.trimmed)
    guard cursor.take("["), let end = cursor.rest.firstIndex(of: "]") else { return nil }
    let id = cursor.rest[..<end]
    cursor.rest = cursor.rest[end...].dropFirst()
    guard !id.isEmpty, id.allSatisfy(\.isHexDigit), cursor.take("@"), let base = cursor.address() else {
      return nil
    }
    return (String(id), base)
  }

  static func read(_ lines: [Line]) throws(BacktraceError) -> Backtrace {
    var builder = BacktraceBuilder()
    var last: (frame: StackFrame, line: Int)?
    func flush(_ builder: inout BacktraceBuilder) throws(BacktraceError) {
      if let last { try builder.add(last.frame, line: last.line) }
      last = nil
    }
    var process: UInt64?
    for line in lines {
      var cursor = Cursor(line.text)
      if cursor.take("PID ") {
        process = cursor.number()
      } else if cursor.take("TID "), let id = cursor.number() {
        try flush(&builder)
        var thread = BacktraceThread(line: line.number)
        thread.id = id
        thread.isMain = id == process
        try builder.begin(thread)
      } else if let (number, frame) = frame(line.text) {
        try flush(&builder)
        if !builder.hasThread || number == 0 && builder.frameCount > 0 {
          try builder.begin(BacktraceThread(line: line.number))
        }
        guard number == UInt64(builder.frameCount) else {
          throw BacktraceError(
            line.number, "expected frame \(builder.frameCount), but found frame \(number)")
        }
        last = (frame, line.number)
      } else if let build = build(line.text) {
        last?.frame.imageID = build.id
        if let address = last?.frame.address, address >= build.base {
          last?.frame.imageOffset = address - build.base
        }
      } else if let place = place(line.text) {
        last?.frame.file = place.file
        last?.frame.line = place.line
      }
    }
    try flush(&builder)
    return try builder.finish(.euStack)
  }
}
