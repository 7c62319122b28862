import CallStacks
import SystemSupport

/// MetricKit: payloads with diagnostics, single diagnostics, or call trees alone, even inside other JSON.
///
/// Also the form of 2026, as `JSONEncoder` writes a `DiagnosticReport`. Its keys are only known from Apple's
/// documentation of `DiagnosticReport`, `CallStackTree` and `CallStackFrame`.
enum MetricKitReport {
  private static let lists = [
    "hangDiagnostics", "crashDiagnostics", "cpuExceptionDiagnostics", "diskWriteExceptionDiagnostics",
    "appLaunchDiagnostics",
  ]

  /// A diagnostic or a single tree, and the name of its list.
  struct Diagnostic {
    fileprivate let value: JSONValue
    fileprivate let section: String?
    fileprivate let isCrash: Bool
  }

  /// Returns all diagnostics, at any depth and inside strings that are JSON themselves.
  static func diagnostics(_ documents: [JSONValue]) -> [Diagnostic] {
    var found: [Diagnostic] = []
    var payloads = 0
    var open = Array(documents.reversed())
    while let value = open.popLast() {
      if value["callStackTree"] != nil || stacks(of: value) != nil {
        let meta = value["diagnosticMetaData"] ?? value
        let isCrash = ["exceptionType", "signal", "terminationCategory"].contains { meta[$0] != nil }
        found.append(Diagnostic(value: value, section: nil, isCrash: isCrash))
      } else if lists.contains(where: { value[$0] != nil }) {
        payloads += 1
        for list in lists {
          for (number, diagnostic) in (value[list]?.elements ?? []).enumerated() {
            let name = "\(list) \(number + 1)"
            found.append(
              Diagnostic(
                value: diagnostic, section: payloads > 1 ? "payload \(payloads) \(name)" : name,
                isCrash: list == lists[1]))
          }
        }
      } else if let text = value.text {
        // Any program may have written such a string, so it may not be JSON.
        guard text.utf8.first == UInt8(ascii: "{"), text[...].has("callStack"),
          let inner = try? JSONTree(Array(text.utf8), line: value.line)
        else { continue }
        open += inner.documents.reversed().map { JSONValue(tree: inner, node: $0) }
      } else if value.isObject || value.elements != nil {
        open += Array(value.children).reversed()
      }
    }
    guard found.count > 1 else { return found }
    return found.enumerated().map { number, diagnostic in
      Diagnostic(
        value: diagnostic.value, section: diagnostic.section ?? "diagnostic \(number + 1)",
        isCrash: diagnostic.isCrash)
    }
  }

  /// Returns the stacks of a tree.
  private static func stacks(of tree: JSONValue) -> [JSONValue]? {
    (tree["callStacks"] ?? tree["callStackThreads"])?.elements
  }

  static func read(_ diagnostics: [Diagnostic]) throws(BacktraceError) -> Backtrace {
    var builder = BacktraceBuilder()
    for diagnostic in diagnostics { try read(diagnostic, &builder) }
    guard builder.hasThread else {
      throw BacktraceError(diagnostics[0].value.line, "these MetricKit diagnostics have no stack")
    }
    return try builder.finish(.metricKit)
  }

  private static func read(
    _ diagnostic: Diagnostic, _ builder: inout BacktraceBuilder
  ) throws(BacktraceError) {
    let value = diagnostic.value
    let meta = value["diagnosticMetaData"] ?? value
    let duration = measure(meta["hangDuration"]) ?? measure(value["hangDuration"])
    let section =
      diagnostic.section.map { section in duration.map { "\(section), \($0)" } ?? section }
      ?? duration.map { "hang of \($0)" }
    builder.add(facts(meta, duration).map { $0.of(section) })
    var tree = value["callStackTree"] ?? value
    if let text = tree.text, let inner = try? JSONTree(Array(text.utf8), line: tree.line),
      let first = inner.documents.first
    {
      tree = JSONValue(tree: inner, node: first)
    }
    guard let stacks = stacks(of: tree) else {
      return builder.note("\(section ?? "the diagnostic") has no call stacks (line \(value.line))")
    }
    let names = names(tree)
    if tree["callStackThreads"] != nil {
      builder.note(
        "MetricKit's reports of 2026 are read by their documentation. They were not compared with a real report"
      )
    }
    for (number, stack) in stacks.enumerated() {
      let roots = (stack["callStackRootFrames"] ?? stack["rootFrames"])?.elements ?? []
      guard !roots.isEmpty else { continue }
      var thread = BacktraceThread(line: stack.line)
      thread.section = section
      thread.number = UInt64(number)
      thread.isMain = number == 0
      thread.isAttributed = stack["threadAttributed"]?.truth ?? false
      try builder.begin(thread)
      let order = FrameOrder(roots, names, isCrash: diagnostic.isCrash)
      // Notes each order once per diagnostic, however many of its stacks have it.
      let prefix = section.map { "\($0): " } ?? ""
      builder.note(prefix + order.words, once: prefix + order.what)
      if order.isInnermostFirst {
        try addInnermostFirst(roots, names, &builder)
      } else {
        try addOutermostFirst(roots, names, &builder)
      }
    }
  }

  /// Adds a tree in which callers contain their callees. Keeps the order of the tree: the next frame is on top of
  /// `open`.
  private static func addOutermostFirst(
    _ roots: [JSONValue], _ names: ImageNames, _ builder: inout BacktraceBuilder
  ) throws(BacktraceError) {
    var open: [(value: JSONValue, caller: Int?)] = roots.reversed().map { ($0, nil) }
    while let (value, caller) = open.popLast() {
      let node = try add(value, names, caller, samples: samples(value), &builder)
      for callee in (value["subFrames"]?.elements ?? []).reversed() { open.append((callee, node)) }
    }
  }

  /// Adds a tree in which calls contain their callers: each path to a leaf is a stack.
  private static func addInnermostFirst(
    _ roots: [JSONValue], _ names: ImageNames, _ builder: inout BacktraceBuilder
  ) throws(BacktraceError) {
    var path: [JSONValue] = []
    var open: [(value: JSONValue, depth: Int)] = roots.reversed().map { ($0, 0) }
    while let (value, depth) = open.popLast() {
      path.removeSubrange(depth...)
      path.append(value)
      let callers = value["subFrames"]?.elements ?? []
      if callers.isEmpty {
        var caller: Int?
        let samples = try samples(value)
        for (index, frame) in path.enumerated().reversed() {
          caller = try add(frame, names, caller, samples: index == 0 ? samples : nil, &builder)
        }
      }
      for caller in callers.reversed() { open.append((caller, depth + 1)) }
    }
  }

  private static func samples(_ value: JSONValue) throws(BacktraceError) -> UInt64? {
    let samples = value["sampleCount"]?.whole
    guard samples ?? 0 <= BacktraceLimits.count else {
      throw BacktraceError(value.line, "more than \(BacktraceLimits.count) samples")
    }
    return samples == 0 ? nil : samples
  }

  private static func add(
    _ value: JSONValue, _ names: ImageNames, _ caller: Int?, samples: UInt64?,
    _ builder: inout BacktraceBuilder
  ) throws(BacktraceError) -> Int {
    guard value.isObject else { throw BacktraceError(value.line, "this frame is not a JSON object") }
    var frame = StackFrame()
    frame.image = names.image(of: value)
    frame.imageID = value["binaryUUID"]?.text
    frame.address = value["address"]?.whole
    frame.imageOffset = value["offsetIntoBinaryTextSegment"]?.whole
    // Some systems write the image's address here.
    if let address = frame.address, let base = frame.imageOffset, base >= 1 << 32, base <= address,
      base.isMultiple(of: 4096)
    {
      frame.imageOffset = address - base
    }
    if frame.address == nil, frame.imageOffset == nil {
      builder.note(
        "some frames have neither address nor offset, the first on line \(value.line)", once: "frames without"
      )
    }
    return try builder.add(frame, calledBy: caller, samples: samples, line: value.line)
  }

  private static func facts(_ meta: JSONValue, _ duration: String?) -> [ReportFact] {
    var facts: [ReportFact] = []
    if let duration { facts.append(ReportFact(.duration, ReportFact.shortened(duration[...]))) }
    let exception = [
      meta["exceptionType"]?.whole.map { DarwinNames.exception($0) },
      meta["signal"]?.whole.map { "(\(DarwinNames.signal($0)))" },
    ].compactMap(\.self)
    if !exception.isEmpty { facts.append(ReportFact(.exception, exception.joined(separator: " "))) }
    if let words = meta["terminationReason"]?.text { facts += TerminationReason.ofWords(words[...]) }
    // An enumeration: a text, or an object with the case as its key.
    if let category = meta["terminationCategory"],
      let name = category.text ?? (category.isObject ? category.children.first { _ in true }?.key : nil)
    {
      facts.append(ReportFact(.termination, ReportFact.shortened(name[...])))
    }
    for (key, event) in [
      ("totalCPUTime", "CPU time"), ("writesCaused", "bytes written"), ("launchDuration", "launch"),
    ] {
      if let value = measure(meta[key]) {
        facts.append(ReportFact(.event, "\(event): \(ReportFact.shortened(value[...]))"))
      }
    }
    return facts
  }
}

extension MetricKitReport {
  /// The images' names by their ids, in lower case. Frames of the form of 2026 have only ids.
  fileprivate struct ImageNames {
    var byID: [String: String] = [:]

    func image(of frame: JSONValue) -> String? {
      frame["binaryName"]?.text ?? frame["binaryUUID"]?.text.flatMap { byID[$0.lowercased()] }
    }
  }

  /// Returns the names of a tree's images. `JSONEncoder` writes a dictionary whose keys are not strings as a list
  /// of keys and values.
  private static func names(_ tree: JSONValue) -> ImageNames {
    var names = ImageNames()
    guard let images = tree["binaryInfo"] else { return names }
    for image in images.children {
      let id = image["uuid"]?.text ?? image.key
      if let name = image["name"]?.text, !id.isEmpty { names.byID[id.lowercased()] = name }
    }
    return names
  }

  /// Returns a text such as `4.6 sec`, or that of a measurement: `{"value": 4.6, "unit": {"symbol": "s"}}`.
  private static func measure(_ value: JSONValue?) -> String? {
    guard let value else { return nil }
    if let text = value.text { return text }
    guard let number = value["value"]?.number else { return nil }
    let unit = value["unit"]?["symbol"]?.text ?? value["unit"]?.text
    return unit.map { "\(number) \($0)" } ?? number
  }
}

/// The order of the frames in a tree. Crash diagnostics begin with the innermost frame, and `subFrames` are its
/// callers. Hang diagnostics begin with the outermost frame. Known images at either end decide.
private struct FrameOrder {
  let isInnermostFirst: Bool
  private let why: String

  var what: String { "the first frame is the \(isInnermostFirst ? "innermost" : "outermost")" }
  var words: String { "\(what) (\(why))" }

  init(_ roots: [JSONValue], _ names: MetricKitReport.ImageNames, isCrash: Bool) {
    let (first, last) = (Self.images(roots, names), Self.images(Self.leaves(roots), names))
    func decide(_ isFirst: Bool, _ isLast: Bool, end: String, isInnermost: Bool) -> FrameOrder? {
      guard isFirst != isLast else { return nil }
      let innermostFirst = isFirst == isInnermost
      return FrameOrder(
        isInnermostFirst: innermostFirst, why: "\(end) is \(isFirst ? "at the beginning" : "at the end")")
    }
    func has(_ images: Set<String>, _ condition: (String) -> Bool) -> Bool {
      images.contains(where: condition)
    }
    let isLoader = { (image: String) in AppImages.isLoader(image) }
    let isKernel = { (image: String) in image == "libsystem_kernel.dylib" || image == "kernel" }
    let isThreads = { (image: String) in image == "libsystem_pthread.dylib" }
    self =
      decide(has(first, isLoader), has(last, isLoader), end: "dyld", isInnermost: false)
      ?? decide(has(first, isKernel), has(last, isKernel), end: "the system call", isInnermost: true)
      ?? decide(has(first, isThreads), has(last, isThreads), end: "the thread's start", isInnermost: false)
      ?? FrameOrder(
        isInnermostFirst: isCrash,
        why: "assumed, as in other \(isCrash ? "crash" : "hang") diagnostics: neither end shows it")
  }

  private init(isInnermostFirst: Bool, why: String) {
    self.isInnermostFirst = isInnermostFirst
    self.why = why
  }

  private static func images(_ frames: [JSONValue], _ names: MetricKitReport.ImageNames) -> Set<String> {
    Set(frames.compactMap { names.image(of: $0) })
  }

  private static func leaves(_ roots: [JSONValue]) -> [JSONValue] {
    var leaves: [JSONValue] = []
    var open = roots
    while let value = open.popLast() {
      let inner = value["subFrames"]?.elements ?? []
      if inner.isEmpty { leaves.append(value) }
      open += inner
    }
    return leaves
  }
}

/// The names of Darwin's exceptions and signals.
enum DarwinNames {
  private static let exceptions: [UInt64: String] = [
    1: "EXC_BAD_ACCESS", 2: "EXC_BAD_INSTRUCTION", 3: "EXC_ARITHMETIC", 4: "EXC_EMULATION", 5: "EXC_SOFTWARE",
    6: "EXC_BREAKPOINT", 10: "EXC_CRASH", 11: "EXC_RESOURCE", 12: "EXC_GUARD", 13: "EXC_CORPSE_NOTIFY",
  ]
  private static let signals: [UInt64: String] = [
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 8: "SIGFPE",
    9: "SIGKILL",
    10: "SIGBUS", 11: "SIGSEGV", 12: "SIGSYS", 13: "SIGPIPE", 15: "SIGTERM",
  ]

  static func exception(_ number: UInt64) -> String { exceptions[number] ?? "exception \(number)" }
  static func signal(_ number: UInt64) -> String { signals[number] ?? "signal \(number)" }
}
