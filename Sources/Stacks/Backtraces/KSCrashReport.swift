import CallStacks

/// A report of KSCrash, as stored on the device.
enum KSCrashReport: JSONReport {
  static func isOne(_ value: JSONValue) -> Bool {
    value["crash"].map { $0["threads"]?.elements != nil || $0["crashed_thread"] != nil } ?? false
  }

  static func read(_ report: JSONValue) throws(BacktraceError) -> Backtrace {
    var builder = BacktraceBuilder()
    let system = report["system"]
    builder.program = system?["process_name"]?.text ?? system?["CFBundleExecutable"]?.text
    builder.executable = system?["CFBundleExecutablePath"]?.text.map { $0[...].fileName }
    for image in report["binary_images"]?.elements ?? [] {
      builder.images.add(name: nil, path: image["name"]?.text, id: image["uuid"]?.text)
    }
    let crash = report["crash"]
    if let crash, let error = crash["error"] { builder.add(facts(crash, error)) }
    // If the reporter itself crashed, there is only one thread.
    let threads = crash?["threads"]?.elements ?? crash?["crashed_thread"].map { [$0] } ?? []
    for (place, value) in threads.enumerated() {
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
      throw BacktraceError(report.line, "the threads of this KSCrash report have no frames")
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

  private static func facts(_ crash: JSONValue, _ error: JSONValue) -> [ReportFact] {
    var facts: [ReportFact] = []
    func add(_ subject: ReportFact.Subject, _ text: String?) {
      if let text, !text.isEmpty { facts.append(ReportFact(subject, ReportFact.shortened(text[...]))) }
    }
    let own = ["nsexception", "cpp_exception", "user_reported"].lazy.compactMap { error[$0] }.first
    let exception = own?["name"]?.text ?? error["mach"]?["exception_name"]?.text ?? error["type"]?.text
    let signal = error["signal"]?["name"]?.text.map { "(\($0))" }
    add(.exception, [exception, signal].compactMap(\.self).joined(separator: " "))
    add(.reason, error["reason"]?.text ?? own?["reason"]?.text)
    add(.explanation, crash["diagnosis"]?.text?.split(whereSeparator: \.isNewline).first.map(String.init))
    if let code = error["exit_reason"]?["code"]?.whole {
      facts += TerminationReason.facts(namespace: nil, code: code, "")
    }
    if let hang = error["hang"], let start = hang["hang_start_nanos"]?.whole,
      let end = hang["hang_end_nanos"]?.whole, end >= start
    {
      add(.duration, "\(Double((end - start) / 1_000_000) / 1000) s")
    }
    return facts
  }
}
