import CallStacks

/// A report of KSCrash, as it stores it on the device.
enum KSCrashReport {
  static func isOne(_ value: JSONValue) -> Bool {
    value["crash"]?["threads"]?.elements != nil
  }

  static func read(
    _ report: JSONValue, _ builder: inout BacktraceBuilder
  ) throws(BacktraceError) -> Backtrace {
    let system = report["system"]
    builder.program = system?["process_name"]?.text ?? system?["CFBundleExecutable"]?.text
    builder.executable = system?["CFBundleExecutablePath"]?.text.map { $0[...].fileName }
    for image in report["binary_images"]?.elements ?? [] {
      builder.images.add(name: nil, path: image["name"]?.text, id: image["uuid"]?.text)
    }
    if let error = report["crash"]?["error"] { builder.add(facts(error)) }
    for (place, value) in (report["crash"]?["threads"]?.elements ?? []).enumerated() {
      var thread = BacktraceThread(line: value.line)
      thread.number = value["index"]?.whole ?? UInt64(place)
      thread.name = value["name"]?.text ?? value["dispatch_queue"]?.text
      thread.isMain = thread.number == 0
      thread.isAttributed = value["crashed"]?.truth ?? false
      guard let frames = value["backtrace"]?["contents"]?.elements, !frames.isEmpty else { continue }
      try builder.begin(thread)
      for frame in frames { try builder.add(Self.frame(frame), line: frame.line) }
      if let skipped = value["backtrace"]?["skipped"]?.whole, skipped > 0 {
        builder.note("\(thread.title): the reporter left out \(skipped) frames")
      }
    }
    guard builder.hasThread else {
      throw BacktraceError(report.line, "a KSCrash report whose threads have no frames")
    }
    return try builder.finish(.ksCrash)
  }

  private static func frame(_ value: JSONValue) -> StackFrame {
    var frame = StackFrame()
    frame.image = value["object_name"]?.text
    frame.symbol = value["symbol_name"]?.text.flatMap { $0 == "<redacted>" ? nil : $0 }
    frame.address = value["instruction_addr"]?.whole
    if let address = frame.address {
      frame.offset = value["symbol_addr"]?.whole.flatMap { $0 > 0 && $0 <= address ? address - $0 : nil }
      frame.imageOffset = value["object_addr"]?.whole.flatMap { $0 > 0 && $0 <= address ? address - $0 : nil }
    }
    return frame
  }

  private static func facts(_ error: JSONValue) -> [ReportFact] {
    var facts: [ReportFact] = []
    let exception = error["mach"]?["exception_name"]?.text ?? error["type"]?.text
    let signal = error["signal"]?["name"]?.text.map { "(\($0))" }
    let words = [exception, signal].compactMap(\.self)
    if !words.isEmpty { facts.append(ReportFact(.exception, words.joined(separator: " "))) }
    if let reason = error["reason"]?.text, !reason.isEmpty {
      facts.append(ReportFact(.reason, ReportFact.shortened(reason[...])))
    }
    return facts
  }
}
