import CallStacks

/// Reports that are JSON: which one, its keys say.
enum JSONReports {
  /// `line`: of the text's first.
  static func read(_ text: [UInt8], line: Int) throws(BacktraceError) -> Backtrace {
    let tree = try JSONTree(text, line: line)
    let documents = tree.documents.map { JSONValue(tree: tree, node: $0) }
    guard let first = documents.first else { throw BacktraceError(line, "JSON without a value") }
    if MetricKitReport.isOne(first) { return try MetricKitReport.read(documents) }
    if first["kind"]?.text == "crashReport" { return try SwiftJSON.read(first) }
    if let report = documents.first(where: { $0["threads"]?.elements != nil }) {
      return try IPSReport.read(report, header: documents.count > 1 ? first : nil)
    }
    if let type = first["bug_type"] {
      let name = type.text ?? "?"
      guard documents.count > 1 else {
        throw BacktraceError(
          first.line, "the header of an .ips report of bug_type \(name), but no report behind it")
      }
      throw BacktraceError(
        documents[1].line,
        "an .ips report of bug_type \(name), which has no list of threads; known are crashes")
    }
    throw BacktraceError(
      first.line, "JSON, but no .ips report, no MetricKit diagnostics and no backtrace of Swift")
  }
}

/// `.ips`: a header on a line of its own, then the report.
enum IPSReport {
  static func read(_ report: JSONValue, header: JSONValue?) throws(BacktraceError) -> Backtrace {
    var builder = BacktraceBuilder()
    builder.program = report["procName"]?.text ?? header?["app_name"]?.text ?? header?["name"]?.text
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
      for frame in frames { try builder.add(try read(frame, images), line: frame.line) }
    }
    if let frames = report["lastExceptionBacktrace"]?.elements, let first = frames.first {
      var thread = BacktraceThread(line: first.line)
      thread.name = "last exception"
      try builder.begin(thread)
      for frame in frames { try builder.add(try read(frame, images), line: frame.line) }
    }
    guard builder.hasThread else {
      throw BacktraceError(report.line, "an .ips report whose threads have no frames")
    }
    return try builder.finish(.ips)
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

  private static func read(_ value: JSONValue, _ images: [Image]) throws(BacktraceError) -> StackFrame {
    guard value.isObject else { throw BacktraceError(value.line, "a frame that is no object") }
    var frame = StackFrame()
    frame.symbol = value["symbol"]?.text
    frame.offset = value["symbolLocation"]?.whole
    frame.imageOffset = value["imageOffset"]?.whole
    frame.file = value["sourceFile"]?.text
    frame.line = value["sourceLine"]?.whole.flatMap { Int(exactly: $0) }
    frame.isInlined = value["inline"]?.truth ?? false
    if let index = value["imageIndex"]?.whole {
      guard let place = Int(exactly: index), images.indices.contains(place) else {
        throw BacktraceError(value.line, "imageIndex \(index), but there are \(images.count) images")
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

/// SWIFT_BACKTRACE with `format=json`.
enum SwiftJSON {
  static func read(_ report: JSONValue) throws(BacktraceError) -> Backtrace {
    var builder = BacktraceBuilder()
    for image in report["images"]?.elements ?? [] {
      if let name = image["name"]?.text, let path = image["path"]?.text { builder.paths[name] = path }
    }
    for (number, value) in (report["threads"]?.elements ?? []).enumerated() {
      var thread = BacktraceThread(line: value.line)
      thread.number = UInt64(number)
      thread.name = value["name"]?.text
      thread.isMain = number == 0
      thread.isAttributed = value["crashed"]?.truth ?? false
      try builder.begin(thread)
      for value in value["frames"]?.elements ?? [] {
        guard let address = value["address"]?.whole else { continue }
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
      throw BacktraceError(report.line, "a backtrace of Swift without threads")
    }
    return try builder.finish(.swiftJSON)
  }
}

/// MetricKit: a payload with diagnostics, one diagnostic, or a tree of calls alone.
enum MetricKitReport {
  private static let lists = [
    "hangDiagnostics", "crashDiagnostics", "cpuExceptionDiagnostics", "diskWriteExceptionDiagnostics",
    "appLaunchDiagnostics",
  ]

  static func isOne(_ value: JSONValue) -> Bool {
    if let first = value.elements?.first { return isOne(first) }
    return value["callStackTree"] != nil || value["callStacks"] != nil || lists.contains { value[$0] != nil }
  }

  static func read(_ documents: [JSONValue]) throws(BacktraceError) -> Backtrace {
    var builder = BacktraceBuilder()
    for document in documents {
      for payload in document.elements ?? [document] { try read(payload, &builder) }
    }
    guard builder.hasThread else {
      throw BacktraceError(documents[0].line, "MetricKit diagnostics without a stack")
    }
    return try builder.finish(.metricKit)
  }

  private static func read(_ value: JSONValue, _ builder: inout BacktraceBuilder) throws(BacktraceError) {
    if value["callStacks"] != nil { return try read(tree: value, nil, &builder) }
    if let tree = value["callStackTree"] {
      let meta = value["diagnosticMetaData"]
      let duration = meta?["hangDuration"]?.text ?? value["hangDuration"]?.text
      return try read(tree: tree, duration.map { "hang of \($0)" }, &builder)
    }
    for list in lists {
      for (number, diagnostic) in (value[list]?.elements ?? []).enumerated() {
        guard let tree = diagnostic["callStackTree"] else {
          throw BacktraceError(diagnostic.line, "a diagnostic without callStackTree")
        }
        let meta = diagnostic["diagnosticMetaData"]
        let duration = meta?["hangDuration"]?.text ?? diagnostic["hangDuration"]?.text
        let name = "\(list) \(number + 1)"
        try read(tree: tree, duration.map { "\(name), \($0)" } ?? name, &builder)
      }
    }
  }

  private static func read(
    tree: JSONValue, _ section: String?, _ builder: inout BacktraceBuilder
  ) throws(BacktraceError) {
    guard let stacks = tree["callStacks"]?.elements else {
      throw BacktraceError(tree.line, "a callStackTree without callStacks")
    }
    for (number, stack) in stacks.enumerated() {
      guard let roots = stack["callStackRootFrames"]?.elements else {
        throw BacktraceError(stack.line, "a call stack without callStackRootFrames")
      }
      guard !roots.isEmpty else { continue }
      var thread = BacktraceThread(line: stack.line)
      thread.section = section
      thread.number = UInt64(number)
      thread.isMain = number == 0
      thread.isAttributed = stack["threadAttributed"]?.truth ?? false
      try builder.begin(thread)
      // In the order of the tree: the next frame is on top.
      var open: [(value: JSONValue, caller: Int?)] = roots.reversed().map { ($0, nil) }
      while let (value, caller) = open.popLast() {
        let node = try add(value, caller, &builder)
        for callee in (value["subFrames"]?.elements ?? []).reversed() { open.append((callee, node)) }
      }
    }
  }

  private static func add(
    _ value: JSONValue, _ caller: Int?, _ builder: inout BacktraceBuilder
  ) throws(BacktraceError) -> Int {
    guard value.isObject else { throw BacktraceError(value.line, "a frame that is no object") }
    var frame = StackFrame()
    frame.image = value["binaryName"]?.text
    frame.imageID = value["binaryUUID"]?.text
    frame.address = value["address"]?.whole
    frame.imageOffset = value["offsetIntoBinaryTextSegment"]?.whole
    guard frame.address != nil || frame.imageOffset != nil else {
      throw BacktraceError(value.line, "a frame without address and offset")
    }
    let samples = value["sampleCount"]?.whole
    guard samples ?? 0 <= BacktraceLimits.count else {
      throw BacktraceError(value.line, "more than \(BacktraceLimits.count) samples")
    }
    return try builder.add(frame, calledBy: caller, samples: samples == 0 ? nil : samples, line: value.line)
  }
}
