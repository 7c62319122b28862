import CallStacks

/// The output of SWIFT_BACKTRACE with `format=json`.
enum SwiftJSON: JSONReport {
  static func isOne(_ value: JSONValue) -> Bool { value["kind"]?.text == "crashReport" }

  static func read(_ report: JSONValue) throws(BacktraceError) -> Backtrace {
    var builder = BacktraceBuilder()
    for image in report["images"]?.elements ?? [] {
      builder.images.add(name: image["name"]?.text, path: image["path"]?.text, id: image["buildId"]?.text)
    }
    for (number, value) in (report["threads"]?.elements ?? []).enumerated() {
      var thread = BacktraceThread(line: value.line)
      thread.number = UInt64(number)
      thread.name = value["name"]?.text
      thread.isMain = number == 0
      thread.isAttributed = value["crashed"]?.truth ?? false
      try builder.begin(thread)
      for value in value["frames"]?.elements ?? [] {
        guard let address = value["address"]?.whole else {
          // The kinds `omittedFrames` and `truncated` replace frames.
          try builder.addGap(line: value.line)
          continue
        }
        var frame = StackFrame()
        frame.address = address
        frame.symbol = value["symbol"]?.text
        // "Store.read(_:) + 64"
        frame.demangled = value["description"]?.text.map { String($0[...].withoutOffset.text) }
        frame.offset = value["offset"]?.whole
        frame.image = value["image"]?.text
        frame.isInlined = value["inlined"]?.truth ?? false
        frame.isMarkedSystem = value["system"]?.truth ?? false
        frame.file = value["sourceLocation"]?["file"]?.text
        frame.line = value["sourceLocation"]?["line"]?.whole.flatMap { Int(exactly: $0) }
        try builder.add(frame, line: value.line)
      }
    }
    guard builder.hasThread else {
      throw BacktraceError(report.line, "this backtrace of Swift has no threads")
    }
    return try builder.finish(.swiftJSON)
  }
}
