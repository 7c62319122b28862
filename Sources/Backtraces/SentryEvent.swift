import CallStacks

/// An event of Sentry as JSON, native or Cocoa: frames stand with the outermost first.
enum SentryEvent {
  static func isOne(_ value: JSONValue) -> Bool { !stacks(value).isEmpty }

  /// The values that have stacks: threads, then exceptions.
  private static func stacks(_ event: JSONValue) -> [JSONValue] {
    ["threads", "exception"].flatMap { key in
      let list = event[key].flatMap { $0["values"]?.elements ?? $0.elements } ?? []
      return list.filter { $0["stacktrace"]?["frames"]?.elements?.isEmpty == false }
    }
  }

  static func read(
    _ event: JSONValue, _ builder: inout BacktraceBuilder
  ) throws(BacktraceError) -> Backtrace {
    for image in event["debug_meta"]?["images"]?.elements ?? [] {
      builder.images.add(
        name: nil, path: image["code_file"]?.text ?? image["name"]?.text,
        id: image["debug_id"]?.text ?? image["uuid"]?.text)
    }
    let exceptions = event["exception"].flatMap { $0["values"]?.elements ?? $0.elements } ?? []
    for exception in exceptions {
      if let type = exception["type"]?.text {
        builder.add(ReportFact(.exception, ReportFact.shortened(type[...])))
      }
      if let value = exception["value"]?.text, !value.isEmpty {
        builder.add(ReportFact(.reason, ReportFact.shortened(value[...])))
      }
    }
    for value in stacks(event) {
      var thread = BacktraceThread(line: value.line)
      thread.id = value["id"]?.whole ?? value["thread_id"]?.whole
      thread.number = value["id"]?.whole
      thread.name = value["name"]?.text ?? value["type"]?.text
      thread.isMain = value["main"]?.truth ?? (value["name"]?.text == "main")
      thread.isAttributed = value["crashed"]?.truth ?? (value["type"] != nil && value["stacktrace"] != nil)
      try builder.begin(thread)
      for frame in (value["stacktrace"]?["frames"]?.elements ?? []).reversed() {
        try builder.add(Self.frame(frame), line: frame.line)
      }
    }
    return try builder.finish(.sentry)
  }

  private static func frame(_ value: JSONValue) -> StackFrame {
    var frame = StackFrame()
    let package = value["package"]?.text
    frame.image = package.map { $0[...].fileName } ?? value["module"]?.text
    frame.imagePath = package.flatMap { $0.contains("/") ? $0 : nil }
    frame.symbol = value["function"]?.text.flatMap { $0 == "<redacted>" ? nil : $0 }
    frame.file = value["filename"]?.text ?? value["abs_path"]?.text
    frame.line = value["lineno"]?.whole.flatMap { Int(exactly: $0) }
    frame.address = value["instruction_addr"]?.whole
    if let address = frame.address {
      frame.imageOffset = value["image_addr"]?.whole.flatMap { $0 > 0 && $0 <= address ? address - $0 : nil }
    }
    frame.isInlined = value["status"]?.text == "inlined"
    switch value["in_app"]?.truth {
    case true?: frame.isMarkedOwn = true
    case false?: frame.isMarkedSystem = true
    case nil: break
    }
    return frame
  }
}
