import CallStacks
import SystemSupport

/// MetricKit: payloads with diagnostics, single diagnostics, or call trees alone, even inside other JSON.
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
      if value["callStackTree"] != nil || value["callStacks"]?.elements != nil {
        let meta = value["diagnosticMetaData"] ?? value
        found.append(Diagnostic(value: value, section: nil, isCrash: meta["exceptionType"] != nil))
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
    let duration = meta["hangDuration"]?.text ?? value["hangDuration"]?.text
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
    guard let stacks = tree["callStacks"]?.elements else {
      return builder.note("\(section ?? "the diagnostic") has no call stacks (line \(value.line))")
    }
    for (number, stack) in stacks.enumerated() {
      let roots = stack["callStackRootFrames"]?.elements ?? []
      guard !roots.isEmpty else { continue }
      var thread = BacktraceThread(line: stack.line)
      thread.section = section
      thread.number = UInt64(number)
      thread.isMain = number == 0
      thread.isAttributed = stack["threadAttributed"]?.truth ?? false
      try builder.begin(thread)
      let order = FrameOrder(roots, isCrash: diagnostic.isCrash)
      // Notes each order once per diagnostic, however many of its stacks have it.
      let prefix = section.map { "\($0): " } ?? ""
      builder.note(prefix + order.words, once: prefix + order.what)
      if order.isInnermostFirst {
        try addInnermostFirst(roots, &builder)
      } else {
        try addOutermostFirst(roots, &builder)
      }
    }
  }

  /// Adds a tree in which callers contain their callees. Keeps the order of the tree: the next frame is on top of
  /// `open`.
  private static func addOutermostFirst(
    _ roots: [JSONValue], _ builder: inout BacktraceBuilder
  ) throws(BacktraceError) {
    var open: [(value: JSONValue, caller: Int?)] = roots.reversed().map { ($0, nil) }
    while let (value, caller) = open.popLast() {
      let node = try add(value, caller, samples: samples(value), &builder)
      for callee in (value["subFrames"]?.elements ?? []).reversed() { open.append((callee, node)) }
    }
  }

  /// Adds a tree in which calls contain their callers: each path to a leaf is a stack.
  private static func addInnermostFirst(
    _ roots: [JSONValue], _ builder: inout BacktraceBuilder
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
          caller = try add(frame, caller, samples: index == 0 ? samples : nil, &builder)
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
    _ value: JSONValue, _ caller: Int?, samples: UInt64?, _ builder: inout BacktraceBuilder
  ) throws(BacktraceError) -> Int {
    guard value.isObject else { throw BacktraceError(value.line, "this frame is not a JSON object") }
    var frame = StackFrame()
    frame.image = value["binaryName"]?.text
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
    for (key, event) in [
      ("totalCPUTime", "CPU time"), ("writesCaused", "bytes written"), ("launchDuration", "launch"),
    ] {
      if let value = meta[key]?.text {
        facts.append(ReportFact(.event, "\(event): \(ReportFact.shortened(value[...]))"))
      }
    }
    return facts
  }
}

/// The order of the frames in a tree. Crash diagnostics begin with the innermost frame, and `subFrames` are its
/// callers. Hang diagnostics begin with the outermost frame. Known images at either end decide.
private struct FrameOrder {
  let isInnermostFirst: Bool
  private let why: String

  var what: String { "the first frame is the \(isInnermostFirst ? "innermost" : "outermost")" }
  var words: String { "\(what) (\(why))" }

  init(_ roots: [JSONValue], isCrash: Bool) {
    let (first, last) = (Self.images(roots), Self.images(Self.leaves(roots)))
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

  private static func images(_ frames: [JSONValue]) -> Set<String> {
    Set(frames.compactMap { $0["binaryName"]?.text })
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
