import CallStacks
import SystemSupport
import TraceAnalysis

/// Tables of the code that held the loop, according to sampled stacks.
package enum StackTables {
  /// The columns of a stack frame from any source.
  package static let frameColumns: [Column<StackFrame>] = [
    Column("function", "name of the function, demangled if possible; null = unknown") {
      $0.function.map(ShownName.of)
    },
    Column("symbol", "symbol as it appears in the text or the trace") { $0.symbol.map(ShownName.of) },
    Column("image", "file name of the program or library") { $0.image.map(ShownName.of) },
    Column("image_id", "build id or UUID of the image") { $0.imageID.map(ShownName.of) },
    Column("image_offset", "bytes from the image's beginning") { $0.imageOffset },
    Column("address", "address of the instruction; for a caller in a trace, an address inside its call") {
      $0.address
    },
    Column("offset", "bytes from the function's beginning") { $0.offset },
    Column("source_file", "source file") { $0.file.map(ShownName.of) },
    Column("source_line", "line in that file") { $0.line },
    Column("is_inlined", "whether its code is part of the next frame's function") { $0.isInlined },
  ]

  package static let stack = ResultTable<StackFrame>("stack", "functions on the stack, innermost first") {
    frameColumns
    Column(
      "is_own",
      "whether the function belongs to the program itself, by its image and source; only such functions are blamed"
    ) {
      $0.isOwn
    }
  }

  /// The columns for the blamed function and its place.
  package static func blamed<Row>(
    _ about: String, _ frame: @escaping @Sendable (Row) -> StackFrame?
  ) -> [Column<Row>] {
    [
      Column("function", about) { frame($0)?.function },
      Column("source_file", "source file of that function") { frame($0)?.file },
      Column("source_line", "line in that file") { frame($0)?.line },
    ]
  }

  /// The columns for the code behind a name: the function, and the code that created the object.
  static func code<Row>(
    _ function: @escaping @Sendable (Row) -> StackFrame?,
    madeBy maker: @escaping @Sendable (Row) -> StackFrame?
  ) -> [Column<Row>] {
    [
      Column("source_file", "source file of its function; null = unknown") { function($0)?.file },
      Column("source_line", "line in that file") { function($0)?.line },
      Column("made_by", "function that created it; null = unknown") { maker($0)?.function },
      Column("made_by_file", "source file of that function") { maker($0)?.file },
      Column("made_by_line", "line in that file") { maker($0)?.line },
    ]
  }

  package static let limit = ResultTable<LimitStack>(
    "at_limit",
    "activity of the thread when the limit was reached; null = it was not reached, or no stack was sampled"
  ) {
    Column("after_ns", "time from the gap's start, or from the mark of launching") { $0.afterNs }
    blamed("innermost function of the program itself; null = the stack has none") { $0.blamed }
    Column("cause", "kind of work or wait") { $0.cause.words }
    Column.rows(stack) { $0.stack }
  }

  private static let causes = ResultTable<StallResult.CauseTime>(
    "causes", "causes that held the loop, the longest first"
  ) {
    Column("cause", "kind of work or wait") { $0.cause.words }
    Column("duration_ns", "time that the samples with this cause represent") { $0.ns }
  }

  /// A semicolon separates frames in collapsed stacks, so names must not contain one.
  package static func collapsed(_ name: String) -> String {
    harmless(name, limit: 400).with(":", for: ";")
  }

  private static let functions = ResultTable<StallResult.BlamedTime>(
    "functions", "blamed functions of all samples, the longest first"
  ) {
    blamed("name of the function") { $0.frame }
    Column("duration_ns", "part of the gap that the samples with this function represent") { $0.ns }
    Column("cause", "kind of work or wait that took most of this time") {
      ($0.causes.first?.cause ?? .unknown).words
    }
  }

  private static let caller = ResultTable<StallResult.FunctionTime>(
    "caller",
    "function of the program that called the blamed functions and is on nearly all stacks; null = one function took most of the time, or there is no such caller"
  ) {
    blamed("name of the function") { $0.frame }
    Column("duration_ns", "part of the gap that the samples with this function represent") { $0.ns }
  }

  private static let owner = ResultTable<LockOwner>(
    "owner",
    "thread that holds the lock, or runs the queue, for which the stalled thread waits; null = unknown"
  ) {
    Column("os_thread", "the operating system's id of the thread") { $0.osThread }
    Column("name", "name of the thread; empty = the recording does not know the thread") { $0.name }
    Column("deadlock", "whether it waits for the stalled thread in turn") { $0.isDeadlock }
    Column("cause", "kind of its own work or wait") { $0.cause.words }
    blamed("innermost function of the program itself on its stack; null = there is none") { $0.blamed }
    Column.rows(stack) { $0.stack }
  }

  private static let evidence = ResultTable<ThreadEvidence>(
    "evidence",
    "the system's data about the thread from the first reading in the gap to the last; null = not reported"
  ) {
    Column("span_ns", "time from the first reading to the last") { $0.spanNs }
    Column("cpu_ns", "part of span_ns on a processor") { $0.cpuNs }
    Column("waited_ns", "part of span_ns in which the thread was ready to run but had no processor") {
      $0.waitedNs
    }
    Column("blocked_ns", "part of span_ns in which the thread slept or waited for something else") {
      $0.blockedNs
    }
    Column("cpu_at_most_ns", "most that the time on a processor can be in the whole gap") { $0.cpuAtMostNs }
    Column("waited_at_most_ns", "most that the time without a processor can be in the whole gap") {
      $0.waitedAtMostNs
    }
    Column("voluntary_switches", "how often the thread gave up its processor") { $0.voluntarySwitches }
    Column("involuntary_switches", "how often the system took the processor away") { $0.involuntarySwitches }
    Column("minor_faults", "page faults for pages that were in memory") { $0.minorFaults }
    Column("major_faults", "page faults for pages that came from a disk") { $0.majorFaults }
    Column("read_bytes", "bytes read from files and sockets, cached or not") { $0.readBytes }
    Column("written_bytes", "bytes written to files and sockets") { $0.writtenBytes }
    Column("system_call", "system call in which the thread was seen most often") { $0.systemCall }
    Column("descriptor", "kind of descriptor for which that system call waited") { $0.descriptor.name }
    Column("state", "most frequent state, in the letters of ps: R = runs, S = sleeps, D = waits for a disk") {
      $0.state
    }
  }

  private static let samples = ResultTable<StallSample>(
    "stacks", "samples of the gap in order, each with the part of the gap that it represents"
  ) {
    Column.start { $0.startNs }
    Column("duration_ns", "time to the next sample") { $0.durationNs }
    Column("number", "number of its stack among all sampled stacks") { $0.number }
  }

  package static let stalls = ResultTable<StallResult>(
    "stalls", "gaps in which stacks of the gap's thread were sampled, one row per gap"
  ) {
    Column.start { $0.startNs }.moment { $0.durationNs }.headed("at", at: 3)
    Column("duration_ns", "length of the gap") { $0.durationNs }.headed("length", at: 4)
    Column("after", "activity that the gap follows") { $0.after.name }
    Column("mode", "mode of the innermost run") { $0.mode }
    Column.thread { $0.thread }
    Column("callout", "callout with the most time of its own in the gap; empty = none was recorded") {
      $0.callout
    }
    .named("callout", at: 8, in: .page)
    Column("samples", "number of samples of the thread's stack") { $0.samples }.headed(
      "samples", at: 7, in: .page)
    blamed("innermost function of the program itself; null = no stack has one") { $0.blamed }
    Column("image", "image that contains the function") { $0.blamed?.image }
    Column(Heading("blamed function", "The innermost function of the program itself.", at: 1)) {
      $0.place ?? "no function of the program itself"
    }.shown(as: .name)
    Column("blamed_ns", "part of the gap that the function's samples represent") { $0.blamedNs }
      .headed("blamed time", "The part of the gap that the function's samples represent.", at: 5)
    Column(
      "cause",
      "kind of work or wait that took most of the blamed function's time; of the gap, if there is none or a caller"
    ) { $0.cause.words }
    .headed("cause", at: 2)
    Column(
      "cause_shares",
      "shares of the two longest causes, if the first did not take nearly all of that time; else empty",
      in: .table
    ) {
      $0.isShared ? $0.causeSentence.text() : ""
    }
    Column.rows(functions) { $0.functions }
    Column.row(caller, ifAny: { $0.caller })
    Column.rows(causes) { $0.causes }
    Column("rule", "rule that gave the cause; null = no rule applied") { $0.rule }
    Column("remedy", "remedy of the rule; null = no rule applied") { $0.remedy }
    Column("confidence", "confidence in the blamed function: none, low, medium or high") {
      $0.confidence.name
    }
    .headed("confidence", "The confidence in the blamed function.", at: 6)
    Column("reasons", "reasons for the confidence", in: .document) { $0.reasons.map(\.name) }
    Column.row(evidence) { $0.evidence }
    Column.row(owner, ifAny: { $0.owner })
    Column(
      Heading(
        "held by", "The function of the thread that held the lock or queue for which this thread waited.",
        at: 6,
        in: .page, isSource: true)
    ) { $0.owner?.place }
    Column.row(limit, ifAny: { $0.atLimit })
    Column.rows(stack) { $0.stack }
    Column.rows(samples) { $0.stacks }
  }

  package static let sampledStacks = ResultTable<SampledStack>(
    "stacks", "sampled stacks, one row per distinct stack, longest total time first"
  ) {
    Column("number", "number of the stack, in the order of first appearance") { $0.number }
    Column("os_thread", "the operating system's id of the thread") { $0.osThread }
    Column("thread_name", "name of the thread; empty = the recording does not know the thread") {
      $0.threadName
    }
    Column("reason", "reason for the sampling") { $0.reason.name }
    Column("samples", "number of samples of this stack") { $0.samples }
    Column("duration_ns", "part of the listed gaps that its samples represent") { $0.durationNs }
    Column("frames", "functions, outermost first, separated by ;", in: .table) { stack in
      stack.frames.reversed().map { collapsed($0.name) }.joined(separator: ";")
    }
    Column.rows(stack) { $0.frames }
  }

  package static let sampledFunctions = ResultTable<FunctionResult>(
    "functions",
    "functions on the stacks that were sampled in listed gaps, one row per function, mode, callout and thread"
  ) {
    Column("function", "name of the function") { ShownName.of($0.function.name) }.named("function", at: 1)
    Column("image", "file name of the program or library; null = unknown") { $0.function.image }
    Column("source_file", "source file; null = unknown") { $0.function.file }
    Column.source("The source file of the function.", at: 2) { $0.function }
    Column("is_own", "whether the function belongs to the program itself") { $0.function.isOwn }
    Column.thread { $0.thread }
    Column("mode", "mode of the innermost run") { $0.mode }.headed("mode", at: 7)
    Column("callout", "callout with the most time of its own in the gap; empty = none was recorded") {
      $0.callout
    }
    .headed("callout", at: 6)
    Column("samples", "number of samples with the function on the stack") { $0.samples }
    Column("held_ns", "part of the gaps in which it was the innermost function of the program itself") {
      $0.heldNs
    }
    .headed(
      "held", "The part of the gaps in which it was the innermost function of the program itself.", at: 3)
    Column("self_ns", "part of the gaps in which it was the innermost function") { $0.selfNs }
      .headed("self", "The part of the gaps in which it was the innermost function.", at: 4)
    Column("total_ns", "part of the gaps in which it was on the stack") { $0.totalNs }
      .headed("total", "The part of the gaps in which it was on the stack.", at: 5)
  }
}
