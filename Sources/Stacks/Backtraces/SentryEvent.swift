import CallStacks

/// An event of Sentry as JSON, native or Cocoa. Frames are listed outermost first.
enum SentryEvent: JSONReport {
  static func isOne(_ value: JSONValue) -> Bool { !stacks(value).isEmpty }

  private static func values(_ key: String, _ event: JSONValue) -> [JSONValue] {
    event[key].flatMap { $0["values"]?.elements ?? $0.elements } ?? []
  }

  private static func hasStack(_ value: JSONValue) -> Bool {
    value["stacktrace"]?["frames"]?.elements?.isEmpty == false
  }

  /// Returns the values with stacks: threads, then exceptions, whose stacks replace those of their threads.
  private static func stacks(_ event: JSONValue) -> [(value: JSONValue, thread: JSONValue?)] {
    let threads = values("threads", event)
    let exceptions = values("exception", event).filter(hasStack)
    let raising = Set(exceptions.compactMap { $0["thread_id"]?.whole })
    return threads.filter { hasStack($0) && !($0["id"]?.whole.map(raising.contains) ?? false) }
      .map { ($0, $0) }
      + exceptions.map { exception in
        let id = exception["thread_id"]?.whole
        return (exception, id.flatMap { id in threads.first { $0["id"]?.whole == id } })
      }
  }

  static func read(_ event: JSONValue) throws(BacktraceError) -> Backtrace {
    var builder = BacktraceBuilder()
    for image in event["debug_meta"]?["images"]?.elements ?? [] {
      let path = image["code_file"]?.text ?? image["name"]?.text
      let id = image["debug_id"]?.text ?? image["uuid"]?.text
      builder.images.add(name: nil, path: path, id: id)
      if let base = image["image_addr"]?.whole, let size = image["image_size"]?.whole, size > 0,
        base <= .max - size
      {
        builder.images.add(range: base...(base + size - 1), path: path, id: id)
      }
    }
    for exception in values("exception", event) {
      if let type = exception["type"]?.text {
        builder.add(ReportFact(.exception, ReportFact.shortened(type[...])))
      }
      if let value = exception["value"]?.text, !value.isEmpty {
        builder.add(ReportFact(.reason, ReportFact.shortened(value[...])))
      }
    }
    for (value, owner) in stacks(event) {
      var thread = BacktraceThread(line: value.line)
      thread.id = owner?["id"]?.whole ?? value["thread_id"]?.whole
      thread.number = owner?["id"]?.whole
      thread.name = owner?["name"]?.text ?? (owner == nil ? value["type"]?.text : nil)
      thread.isMain = owner?["main"]?.truth ?? (owner?["name"]?.text == "main")
      thread.isAttributed = value["crashed"]?.truth ?? (value["type"] != nil)
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
