import TraceFormat
import TraceResults

/// Writes the rows of one process as a trace.
///
/// A run becomes `run.begin`, Entry, Exit and `run.end`; an iteration becomes BeforeTimers; a wait becomes BeforeWaiting
/// and AfterWaiting. Polls have no events, because CFRunLoop notifies no observer of them. Instruments knows neither
/// the other activities nor timers, sources, blocks and observers.
package struct InstrumentsTrace {
  /// The contents of the trace.
  package struct Summary: Sendable {
    package var threads = 0
    package var runs = 0
    package var iterations = 0
    package var waits = 0
    package var polls = 0
    package var marks = 0
    package var intervals = 0
    package var hangs: [Span] = []
    package var hitches = 0
    /// Sampled stacks in the trace, and the long stays of loops that have some.
    package var samples = 0
    package var sampledStays = 0
    /// Samples of the process that are not in a long stay of a loop.
    package var samplesElsewhere = 0
    /// The rows of all processes that have no stack, and those with a frame that has no address.
    package var withoutStack = 0
    package var withoutAddress = 0
    /// Samples dropped beyond the limits: those of all processes while reading, those of this process while writing.
    package var beyondLimits = 0
    /// Rows of other processes.
    package var otherRows = 0
    /// Whether the tables list hangs and nothing about run loops.
    package var hasOnlyHangs = false
    package var events: UInt64 = 0
    package var spanNs: UInt64 = 0
  }

  /// A span of the recording, in nanoseconds since its start.
  package struct Span: Sendable, Equatable {
    package var startNs: UInt64
    package var durationNs: UInt64
    package var name: String

    package init(startNs: UInt64, durationNs: UInt64, name: String) {
      (self.startNs, self.durationNs, self.name) = (startNs, durationNs, name)
    }
  }

  /// The name of the thread that gets the notes that Instruments assigns to no thread.
  package static let noteThread = "(Instruments)"
  static let unknownMode = "(mode not recorded)"

  struct Edge {
    var time: UInt64
    var kind: EventKind
    var object: UInt32
    /// Nil for an end.
    var name: UInt32?
  }

  let recording: InstrumentsRecording
  let process: InstrumentsRecording.Process
  var trace: TraceDraft
  var summary = Summary()
  /// The stays of loops that are long enough for stacks.
  var stays: [Stay] = []

  private init(
    _ recording: InstrumentsRecording, _ process: InstrumentsRecording.Process, to sink: any ByteSink,
    codec: any BlockCodec
  ) throws(TraceFormatError) {
    var recording = recording
    var facts = Self.facts(recording, process)
    summary.hasOnlyHangs = recording.hasOnlyHangs
    if recording.hasOnlyHangs {
      facts.append(InfoEntry(key: InfoEntry.hangsOnly, value: "the source lists hangs, and no run loops"))
      recording.addHangsAsPasses()
    }
    (self.recording, self.process) = (recording, process)
    trace = try TraceDraft(facts, to: sink, codec: codec)
  }

  /// Writes the trace. O(rows × log rows) time.
  package static func write(
    _ recording: consuming InstrumentsRecording, of process: InstrumentsRecording.Process,
    to sink: any ByteSink, codec: any BlockCodec
  ) throws(TraceFormatError) -> Summary {
    var trace = try InstrumentsTrace(recording, process, to: sink, codec: codec)
    return try trace.write()
  }

  private mutating func write() throws(TraceFormatError) -> Summary {
    let notes = notesByThread()
    // Threads with loops, the main one first, then the others that have notes.
    let loops = recording.loops.keys.filter { recording.names.threads[$0].process == process.index }
    summary.otherRows = recording.loops.reduce(0) { loops.contains($1.key) ? $0 : $0 + $1.value.count }
    let threads =
      loops.ordered { (isMain($0) ? 0 : 1, $0) < (isMain($1) ? 0 : 1, $1) }
      + notes.keys.compactMap(\.self).filter { !loops.contains($0) }.ordered(by: <)
    // Two more threads hold notes and samples.
    guard threads.count <= TraceLimits.threads - 2 else {
      throw .limit(
        offset: 0, block: nil,
        what: "\(threads.count) threads, and a trace holds \(TraceLimits.threads); export a shorter range")
    }
    for thread in threads {
      try write(Lane(thread: thread, notes: (notes[thread] ?? [])[...]))
    }
    if let rest = notes[nil] {
      try trace.begin(thread: Self.noteThread)
      for edge in rest { try emit(edge) }
    }
    try writeStacks()
    try trace.close()
    summary.threads = loops.count
    summary.events = trace.eventCount
    summary.spanNs = trace.spanNs
    return summary
  }

  func isMain(_ thread: Int) -> Bool { recording.mainThreads.contains(thread) }

  private static func facts(
    _ recording: InstrumentsRecording, _ process: InstrumentsRecording.Process
  ) -> [InfoEntry] {
    var facts: [InfoEntry] = []
    if process.index != nil {
      facts.append(InfoEntry(key: InfoEntry.program, value: process.name))
      facts.append(InfoEntry(key: InfoEntry.process, value: "\(process.pid)"))
    }
    for table in recording.tables.prefix(TraceLimits.infoEntries / 2) where table.isRead {
      facts.append(
        InfoEntry(key: InfoEntry.imported, value: "Instruments, \(table.name), \(table.rows) rows"))
    }
    return facts
  }

  // MARK: Notes

  /// Returns the beginnings and ends of all notes of the process in time order, by thread; nil = no thread.
  private mutating func notesByThread() -> [Int?: [Edge]] {
    var edges: [Int?: [Edge]] = [:]
    let (texts, threads) = (recording.names.texts, recording.names.threads)
    // A thread may have another name in the document of a note. Its id is the same.
    var loops: [UInt64: Int] = [:]
    for thread in recording.loops.keys.ordered(by: >) { loops[threads[thread].tid] = thread }
    for note in recording.notes {
      let owner = note.thread.flatMap { threads[$0].process } ?? note.process
      if let owner, let index = process.index, owner != index { continue }
      let name = note.name.map { texts[$0] } ?? ""
      let thread = note.thread.map { loops[threads[$0].tid] ?? $0 }
      let shown: String
      switch note.kind {
      case .mark:
        summary.marks += 1
        edges[thread, default: []].append(
          Edge(time: note.start, kind: .mark, object: 0, name: trace.string(name)))
        continue
      case .interval:
        summary.intervals += 1
        shown = name
      case .hang:
        summary.hangs.append(Span(startNs: note.start, durationNs: note.duration, name: name))
        shown = "\(name) (Instruments)"
      case .hitch:
        summary.hitches += 1
        shown = "hitch (Instruments)"
      }
      let object = trace.object()
      edges[thread, default: []].append(
        Edge(time: note.start, kind: .intervalBegin, object: object, name: trace.string(shown)))
      // Without an end, the interval is open at the end of the recording.
      guard note.duration < .max else { continue }
      edges[thread, default: []].append(
        Edge(time: note.start &+ note.duration, kind: .intervalEnd, object: object, name: nil))
    }
    for thread in edges.keys { edges[thread] = edges[thread]?.ordered { $0.time < $1.time } }
    return edges
  }

  mutating func emit(_ edge: Edge) throws(TraceFormatError) {
    try trace.emit(edge.time, edge.kind, object: edge.object, edge.name.map { [UInt64($0)] } ?? [])
  }
}
