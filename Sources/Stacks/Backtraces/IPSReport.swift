import CallStacks

/// An `.ips` report: a header on a line of its own, then the report.
enum IPSReport {
  static func read(
    _ report: JSONValue, header: JSONValue?
  ) throws(BacktraceError) -> Backtrace {
    var builder = BacktraceBuilder()
    builder.program = report["procName"]?.text ?? header?["app_name"]?.text ?? header?["name"]?.text
    builder.executable = report["procPath"]?.text.map { $0[...].fileName }
    builder.add(facts(report))
    let images = (report["usedImages"]?.elements ?? []).map { Image($0) }
    let faulting = report["faultingThread"]?.whole
    for (number, value) in (report["threads"]?.elements ?? []).enumerated() {
      var thread = BacktraceThread(line: value.line)
      thread.number = UInt64(number)
      thread.id = value["id"]?.whole
      thread.name = value["name"]?.text ?? value["queue"]?.text
      thread.isMain = number == 0
      thread.isAttributed = value["triggered"]?.truth ?? (faulting == UInt64(number))
      guard let frames = value["frames"]?.elements, !frames.isEmpty else { continue }
      try builder.begin(thread)
      for frame in frames {
        try builder.add(try read(frame, images, isCut: report.tree.cut != nil), line: frame.line)
      }
    }
    if let frames = report["lastExceptionBacktrace"]?.elements, let first = frames.first {
      var thread = BacktraceThread(line: first.line)
      thread.name = "last exception"
      thread.isLastException = true
      try builder.begin(thread)
      for frame in frames {
        try builder.add(try read(frame, images, isCut: report.tree.cut != nil), line: frame.line)
      }
    }
    guard builder.hasThread else {
      throw BacktraceError(report.line, "the threads of this .ips report have no frames")
    }
    if report.tree.cut != nil, images.isEmpty {
      builder.note(
        "the list of images is missing: functions without a source line cannot be assigned to the app or the system"
      )
    }
    return try builder.finish(.ips)
  }

  private static func facts(_ report: JSONValue) -> [ReportFact] {
    var facts: [ReportFact] = []
    if let exception = report["exception"] {
      let words = [exception["type"]?.text, exception["signal"]?.text.map { "(\($0))" }].compactMap(\.self)
      if !words.isEmpty {
        facts.append(ReportFact(.exception, ReportFact.shortened(words.joined(separator: " ")[...])))
      }
    }
    // Texts of libraries.
    for library in report["asi"]?.children.map(\.self) ?? [] {
      facts += (library.elements ?? []).compactMap(\.text).flatMap { ReportFact.ofDispatch($0[...]) }
    }
    guard let termination = report["termination"] else { return facts }
    let reasons = (termination["reasons"]?.elements ?? []).compactMap(\.text)
    let words = ([termination["indicator"]?.text].compactMap(\.self) + reasons).joined(separator: "\n")
    return facts
      + TerminationReason.facts(
        namespace: termination["namespace"]?.text, code: termination["code"]?.whole, words[...])
  }

  private struct Image {
    let name: String?
    let path: String?
    let id: String?
    let base: UInt64?

    init(_ value: JSONValue) {
      path = value["path"]?.text
      name = value["name"]?.text ?? path.map { $0[...].fileName }
      id = value["uuid"]?.text
      base = value["base"]?.whole
    }
  }

  private static func read(
    _ value: JSONValue, _ images: [Image], isCut: Bool
  ) throws(BacktraceError) -> StackFrame {
    guard value.isObject else { throw BacktraceError(value.line, "this frame is not a JSON object") }
    var frame = StackFrame()
    frame.symbol = value["symbol"]?.text
    frame.offset = value["symbolLocation"]?.whole
    frame.imageOffset = value["imageOffset"]?.whole
    frame.file = value["sourceFile"]?.text
    frame.line = value["sourceLine"]?.whole.flatMap { Int(exactly: $0) }
    frame.isInlined = value["inline"]?.truth ?? false
    if let index = value["imageIndex"]?.whole {
      // The list of images follows the threads, so it may be missing in a truncated report.
      guard let place = Int(exactly: index), images.indices.contains(place) else {
        if isCut {
          // A placeholder image, so that a function's name alone does not put the blame on it. Apple's libraries have
          // no lines.
          frame.imageID = "image \(index)"
          frame.isMarkedOwn = frame.line ?? 0 > 0 && frame.file?.first != "<"
          return frame
        }
        throw BacktraceError(value.line, "imageIndex is \(index), but there are \(images.count) images")
      }
      let image = images[place]
      frame.image = image.name.flatMap { $0.isEmpty ? nil : $0 }
      frame.imagePath = image.path
      frame.imageID = image.id
      if let base = image.base, let offset = frame.imageOffset { frame.address = base &+ offset }
    }
    return frame
  }
}
