import CallStacks
import TraceAnalysis
import TraceFormat

/// Tables of the code that held the loop, according to sampled stacks.
package enum StackTables {
  /// The columns of a stack frame from any source.
  package static let frameColumns: [Column<StackFrame>] = [
    Column("function", "its name, demangled where it can be; null = unknown") {
      $0.function.map(ShownName.of)
    },
    Column("symbol", "as the text or the trace has it") { $0.symbol.map(ShownName.of) },
    Column("image", "file name of the program or library") { $0.image.map(ShownName.of) },
    Column("image_id", "its build id or UUID") { $0.imageID.map(ShownName.of) },
    Column("image_offset", "bytes from the image's beginning") { $0.imageOffset },
    Column("address", "of the instruction; of a caller in a trace, in its call") { $0.address },
    Column("offset", "bytes from the function's beginning") { $0.offset },
    Column("source_file", "of the source") { $0.file.map(ShownName.of) },
    Column("source_line", "in it") { $0.line },
    Column("is_inlined", "its code stands in the next frame's") { $0.isInlined },
  ]

  package static let stack = ResultTable<StackFrame>("stack", "its functions, innermost first") {
    frameColumns
    Column("is_own", "the program's own, by its image and source: such a function can be to blame") {
      $0.isOwn
    }
  }

  /// The columns for the blamed function and its place.
  private static func blamed<Row>(
    _ about: String, _ frame: @escaping @Sendable (Row) -> StackFrame?
  ) -> [Column<Row>] {
    [
      Column("function", about) { frame($0)?.function },
      Column("source_file", "of that function") { frame($0)?.file },
      Column("source_line", "in that file") { frame($0)?.line },
    ]
  }

  /// The columns for the code behind a name: the function, and the code that created the object.
  static func code<Row>(
    _ function: @escaping @Sendable (Row) -> StackFrame?,
    madeBy maker: @escaping @Sendable (Row) -> StackFrame?
  ) -> [Column<Row>] {
    [
      Column("source_file", "of its function; null = not known") { function($0)?.file },
      Column("source_line", "in that file") { function($0)?.line },
      Column("made_by", "the function that made it; null = not known") { maker($0)?.function },
      Column("made_by_file", "of that function") { maker($0)?.file },
      Column("made_by_line", "in that file") { maker($0)?.line },
    ]
  }

  package static let limit = ResultTable<LimitStack>(
    "at_limit", "what the thread did when the limit was reached; null where it was not, or no stack was taken"
  ) {
    Column("after_ns", "the gap's begin, or the mark of launching") { $0.afterNs }
    blamed("the innermost of the program's own; null where the stack has none") { $0.blamed }
    Column("cause", "the kind of work or wait") { $0.cause.words }
    Column.rows(stack) { $0.stack }
  }

  private static let causes = ResultTable<StallResult.CauseTime>(
    "causes", "all that held it, the one for the most time first"
  ) {
    Column("cause", "the kind of work or wait") { $0.cause.words }
    Column("duration_ns", "what its samples stand for") { $0.ns }
  }

  /// A semicolon separates frames in collapsed stacks, so names must not contain one.
  package static func collapsed(_ name: String) -> String {
    harmless(name, limit: 400).with(":", for: ";")
  }

  private static let owner = ResultTable<LockOwner>(
    "owner", "who holds the lock that the thread waits for; null where it is not known"
  ) {
    Column("os_thread", "the operating system's id") { $0.osThread }
    Column("name", "empty where the recording does not know the thread") { $0.name }
    Column("deadlock", "it waits for a lock of the stalled thread itself") { $0.isDeadlock }
    blamed("the innermost of the program's own on its stack; null where there is none") { $0.blamed }
    Column.rows(stack) { $0.stack }
  }

  private static let evidence = ResultTable<ThreadEvidence>(
    "evidence", "what the system knew of the thread, from the first look to the last; null = it did not say"
  ) {
    Column("span_ns", "from the first look to the last") { $0.spanNs }
    Column("cpu_ns", "time on a processor") { $0.cpuNs }
    Column("waited_ns", "time ready to run, without a processor") { $0.waitedNs }
    Column("voluntary_switches", "the thread gave up its processor") { $0.voluntarySwitches }
    Column("involuntary_switches", "it was taken away") { $0.involuntarySwitches }
    Column("minor_faults", "pages that were in memory") { $0.minorFaults }
    Column("major_faults", "pages that came from a disk") { $0.majorFaults }
    Column("read_bytes", "from files and sockets, cached or not") { $0.readBytes }
    Column("written_bytes", "to them") { $0.writtenBytes }
    Column("system_call", "that it was seen in most often") { $0.systemCall }
    Column("descriptor", "what that one waited for") { $0.descriptor.name }
    Column("state", "as ps has it: R runs, S sleeps, D waits for a disk") { $0.state }
  }

  private static let samples = ResultTable<StallSample>(
    "stacks", "its samples in order, each with the part of the gap that it stands for"
  ) {
    Column.start { $0.startNs }
    Column("duration_ns", "to the next sample") { $0.durationNs }
    Column("number", "of its stack, among all that were sampled") { $0.number }
  }

  package static let stalls = ResultTable<StallResult>(
    "stalls", "one row per gap in which stacks of its thread were sampled"
  ) {
    Column.start { $0.startNs }.moment { $0.durationNs }.headed("at", at: 3)
    Column("duration_ns", "of the gap") { $0.durationNs }.headed("length", at: 4)
    Column("after", "the activity that it follows") { $0.after.name }
    Column("mode", "of the innermost run") { $0.mode }
    Column.thread { $0.thread }
    Column("callout", "that took most of it by itself; empty where none was recorded") { $0.callout }
      .named("callout", at: 8, in: .page)
    Column("samples", "of the thread's stack") { $0.samples }.headed("samples", at: 7, in: .page)
    blamed("the innermost of the program's own; null where no stack has one") { $0.blamed }
    Column("image", "that it is of") { $0.blamed?.image }
    Column(Heading("blamed function", "The innermost of the program's own.", at: 1)) {
      $0.place ?? "none of the program's own"
    }.shown(as: .name)
    Column("blamed_ns", "of the gap, what the function's samples stand for") { $0.blamedNs }
      .headed("of it", "What the function's samples stand for.", at: 5)
    Column("cause", "the kind of work or wait that took most of the time") { $0.cause.words }
      .headed("cause", at: 2)
    Column(
      "cause_shares", "of that one and the next, where it was not nearly all one; else empty", in: .table
    ) {
      $0.isShared ? $0.causeSentence.text() : ""
    }
    Column.rows(causes) { $0.causes }
    Column("rule", "of the causes, the one that held") { $0.rule }
    Column("remedy", "of the rule") { $0.remedy }
    Column("confidence", "in the function: none, low, medium, high") { $0.confidence.name }
      .headed("confidence", "In the function.", at: 6)
    Column("reasons", "of the confidence", in: .document) { $0.reasons.map(\.name) }
    Column.row(evidence) { $0.evidence }
    Column.row(owner, ifAny: { $0.owner })
    Column.row(limit, ifAny: { $0.atLimit })
    Column.rows(stack) { $0.stack }
    Column.rows(samples) { $0.stacks }
  }

  package static let sampledStacks = ResultTable<SampledStack>(
    "stacks", "one row per distinct stack that was sampled, most time first"
  ) {
    Column("number", "in the order in which they were first seen") { $0.number }
    Column("os_thread", "the operating system's id") { $0.osThread }
    Column("thread_name", "empty where the recording does not know the thread") { $0.threadName }
    Column("reason", "why it was sampled") { $0.reason.name }
    Column("samples", "of this stack") { $0.samples }
    Column("duration_ns", "of gaps that are listed, what its samples stand for") { $0.durationNs }
    Column("frames", "functions, outermost first, with ; between", in: .table) { stack in
      stack.frames.reversed().map { collapsed($0.name) }.joined(separator: ";")
    }
    Column.rows(stack) { $0.frames }
  }
}
