import TraceFormat
import TraceResults

/// Tables that xctrace exported from a recording of Instruments.
struct InstrumentsSource: RecordingSource {
  static let recording = "an Instruments recording"
  static let fileExtensions = ["xml"]
  static let help = """
    The files are exports of tables by xctrace, in any order:
      xcrun xctrace export --input app.trace --output events.xml \\
        --xpath '/trace-toc/run[@number="1"]/data/table[@schema="runloop-events"]'

    import reads runloop-events or runloop-intervals, potential-hangs, hitches, OSSignpostIntervals, \
    os-signpost-interval or os-signpost, PointsOfInterestEvents, and time-profile or time-sample. Without run loops, \
    hangs and their stacks are enough. Instruments does not record timers, sources, blocks and observers, so the trace cannot \
    show starvation. On a Mac, import also takes the recording itself, app.trace.

    Examples:
      rltrace import events.xml -o app.rltrace
      rltrace import events.xml hangs.xml profile.xml -o app.rltrace --process MyApp
      rltrace import events.xml --list
    """

  private var tables = InstrumentsRecording()

  mutating func read(_ fill: @escaping (UnsafeMutableRawBufferPointer) -> Int) throws(ImportError) {
    try tables.read(fill)
  }

  var list: [String] {
    tables.tables.map {
      "table    \($0.name)  \(Phrase.count($0.rows, "row", "rows"))" + ($0.isRead ? "" : ", not read")
    }
      + tables.processes.map {
        tables.hasOnlyHangs
          ? "process  \(Self.name($0))  \(Phrase.count($0.loopRows, "hang", "hangs"))"
          : "process  \(Self.name($0))  \(Phrase.count($0.loopRows, "interval", "intervals")) of run loops"
      }
  }

  private static func name(_ process: InstrumentsRecording.Process) -> String {
    process.name.isEmpty ? "(not named)" : "\(harmless(process.name)) (\(process.pid))"
  }

  func write(process: String?, to sink: any ByteSink, codec: any BlockCodec) throws(ImportError)
    -> ImportAccount
  {
    let process = try chosen(process)
    do throws(TraceFormatError) {
      let summary = try InstrumentsTrace.write(tables, of: process, to: sink, codec: codec)
      return ImportAccount(
        contents: contents(summary, process), notes: notes(summary),
        hangs: summary.hasOnlyHangs ? [] : summary.hangs)
    } catch { throw .writing(error) }
  }

  private func chosen(_ process: String?) throws(ImportError) -> InstrumentsRecording.Process {
    let known = tables.processes
    guard let first = known.first else {
      throw .document(
        line: 0, column: 0,
        what:
          "no rows about run loops or hangs; export the table runloop-events, runloop-intervals or potential-hangs"
      )
    }
    let names = known.map { Self.name($0) }.joined(separator: ", ")
    guard let process else {
      if known.count == 1 { return first }
      throw .choice("several processes have run loops or hangs: \(names); choose one with --process")
    }
    let found = known.filter { $0.name == process || "\($0.pid)" == process && $0.pid > 0 }
    guard let match = found.first, found.count == 1 else {
      throw .choice(
        found.isEmpty
          ? "no process '\(harmless(process))' with run loops or hangs; the files have \(names)"
          : "\(found.count) processes are named '\(harmless(process))'; give the number: \(names)")
    }
    return match
  }

  // MARK: The account

  private func contents(_ summary: InstrumentsTrace.Summary, _ process: InstrumentsRecording.Process)
    -> String
  {
    let loops =
      summary.hasOnlyHangs
      ? [Phrase.count(summary.hangs.count, "hang", "hangs")]
      : [
        Phrase.count(summary.runs, "run", "runs"),
        Phrase.count(summary.iterations, "iteration", "iterations"),
        Phrase.count(summary.waits, "wait", "waits"),
      ]
    return
      ([Self.name(process), Phrase.count(summary.threads, "thread", "threads")] + loops
      + [Units.duration(summary.spanNs)]).joined(separator: ", ")
  }

  private func notes(_ summary: InstrumentsTrace.Summary) -> [String] {
    var lines: [String] = []
    let beside = [
      (summary.hasOnlyHangs ? 0 : summary.hangs.count, "hang", "hangs"),
      (summary.hitches, "hitch", "hitches"),
      (summary.intervals, "signpost interval", "signpost intervals"),
      (summary.marks, "point of interest", "points of interest"),
    ].filter { $0.0 > 0 }.map { Phrase.count($0.0, $0.1, $0.2) }
    if !beside.isEmpty { lines.append("also imported: " + beside.joined(separator: ", ")) }
    if summary.otherRows > 0 {
      lines.append("left out: \(Phrase.count(summary.otherRows, "interval", "intervals")) of other processes")
    }
    if summary.samples > 0 {
      lines.append(
        "also imported: \(Phrase.count(summary.samples, "stack", "stacks")) in"
          + " \(Phrase.count(summary.sampledStays, "long stay", "long stays")) of run loops")
    }
    for (count, what) in [
      (summary.samplesElsewhere, "not in a long stay of a run loop"),
      (summary.withoutStack, "without a stack"),
      (summary.withoutAddress, "with a frame that has no address"),
      (summary.beyondLimits, "beyond the limits of an import"),
    ] where count > 0 {
      lines.append("left out: \(Phrase.count(count, "sample", "samples")) \(what)")
    }
    let unread = tables.tables.filter { !$0.isRead && $0.rows > 0 }
    if !unread.isEmpty { lines.append("not read: " + unread.map(\.name).joined(separator: ", ")) }
    for (word, rows) in tables.unknownIntervals.ordered(by: { $0.key < $1.key }) {
      lines.append("left out: \(Phrase.count(rows, "row", "rows")) of the unknown kind '\(word)'")
    }
    lines.append(
      summary.hasOnlyHangs
        ? "the tables have no run loops, so the trace shows hangs and their stacks only; export runloop-events for modes and passes"
        : "Instruments does not record timers, sources, blocks, observers or phases, so starvation cannot be judged"
    )
    return lines
  }
}
