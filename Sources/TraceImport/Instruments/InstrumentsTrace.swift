import RunLoopVocabulary
import TraceFormat
import TraceResults

/// Writes the rows of one process as a trace.
///
/// A run becomes `run.begin`, Entry, Exit and `run.end`; an iteration becomes BeforeTimers; a wait becomes BeforeWaiting
/// and AfterWaiting. Polls have no events, because CFRunLoop notifies no observer of them. Instruments knows neither
/// the other activities nor timers, sources, blocks and observers.
public struct InstrumentsTrace {
  /// The contents of the trace.
  public struct Summary: Sendable {
    public var threads = 0
    public var runs = 0
    public var iterations = 0
    public var waits = 0
    public var polls = 0
    public var marks = 0
    public var intervals = 0
    public var hangs: [Span] = []
    public var hitches = 0
    /// Rows of other processes.
    public var otherRows = 0
    public var events: UInt64 = 0
    public var spanNs: UInt64 = 0
  }

  /// A span of the recording, in nanoseconds since its start.
  public struct Span: Sendable, Equatable {
    public var startNs: UInt64
    public var durationNs: UInt64
    public var name: String

    public init(startNs: UInt64, durationNs: UInt64, name: String) {
      (self.startNs, self.durationNs, self.name) = (startNs, durationNs, name)
    }
  }

  /// The name of the thread with what Instruments notes without a thread.
  public static let noteThread = "(Instruments)"
  private static let unknownMode = "(mode not recorded)"

  private struct Edge {
    var time: UInt64
    var kind: EventKind
    var object: UInt32
    /// Nil for an end.
    var name: UInt32?
  }

  private let recording: InstrumentsRecording
  private let process: InstrumentsRecording.Process
  private let writer: TraceWriter
  private var strings: [String: UInt32] = [:]
  private var newStrings: [StringDefinition] = []
  private var modes: [Int32: UInt8] = [:]
  private var newModes: [ModeDefinition] = []
  private var objects: UInt32 = 0
  private let buffer = EventBuffer()
  private var first = UInt64.max
  private var last: UInt64 = 0
  private var summary = Summary()

  private init(
    _ recording: InstrumentsRecording, _ process: InstrumentsRecording.Process, to sink: any ByteSink,
    codec: any BlockCodec
  ) throws(TraceFormatError) {
    (self.recording, self.process) = (recording, process)
    writer = try TraceWriter(
      sink: sink,
      header: FileHeader(
        timeUnit: .ns1, codec: codec.id, captureLevel: .imported, clock: .imported, hasHighStamps: false),
      codec: codec)
  }

  /// Writes the trace. O(rows × log rows) time.
  public static func write(
    _ recording: consuming InstrumentsRecording, of process: InstrumentsRecording.Process,
    to sink: any ByteSink, codec: any BlockCodec
  ) throws(TraceFormatError) -> Summary {
    var trace = try InstrumentsTrace(recording, process, to: sink, codec: codec)
    return try trace.write()
  }

  private mutating func write() throws(TraceFormatError) -> Summary {
    try writer.write(facts())
    let notes = notesByThread()
    // Threads with loops, the main one first, then the others that have notes.
    let loops = recording.loops.keys.filter { recording.names.threads[$0].process == process.index }
    summary.otherRows = recording.loops.reduce(0) { loops.contains($1.key) ? $0 : $0 + $1.value.count }
    let threads =
      loops.ordered { (isMain($0) ? 0 : 1, $0) < (isMain($1) ? 0 : 1, $1) }
      + notes.keys.compactMap(\.self).filter { !loops.contains($0) }.ordered(by: <)
    var index: UInt32 = 0
    for thread in threads.prefix(TraceLimits.threads - 1) {
      try write(thread, index, notes[thread] ?? [])
      index += 1
    }
    if let rest = notes[nil] {
      try writer.write([ThreadDefinition(index: index, osThread: 0, isMain: false, name: Self.noteThread)])
      for edge in rest { try emit(edge, index) }
      try flush(index)
    }
    try writer.close()
    summary.threads = loops.count
    summary.events = writer.eventCount
    summary.spanNs = last >= first ? last - first : 0
    return summary
  }

  private func isMain(_ thread: Int) -> Bool { recording.mainThreads.contains(thread) }

  private func facts() -> [InfoEntry] {
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

  // MARK: Threads

  private mutating func write(_ thread: Int, _ index: UInt32, _ notes: [Edge]) throws(TraceFormatError) {
    let definition = recording.names.threads[thread]
    try writer.write([
      ThreadDefinition(
        index: index, osThread: definition.tid, isMain: isMain(thread), name: definition.name)
    ])
    var notes = notes[...]
    guard let rows = recording.loops[thread]?.inOrder(), !rows.isEmpty else {
      for edge in notes { try emit(edge, index) }
      return try flush(index)
    }
    objects += 1
    let loop = ObjectID(number: objects).rawValue
    var isCreated = false
    var open: [LoopRow] = []

    func emitNotes(_ trace: inout InstrumentsTrace, until time: UInt64) throws(TraceFormatError) {
      while let edge = notes.first, edge.time <= time {
        try trace.emit(edge, index)
        notes.removeFirst()
      }
    }
    func note(
      _ trace: inout InstrumentsTrace, _ time: UInt64, _ kind: EventKind, _ row: LoopRow,
      _ arguments: [UInt64] = []
    ) throws(TraceFormatError) {
      try emitNotes(&trace, until: time)
      if !isCreated {
        isCreated = true
        let name = trace.string(definition.name)
        try trace.emit(time, .loopCreate, 0, loop, [UInt64(name)], index)
      }
      try trace.emit(time, kind, trace.mode(row.mode), loop, arguments, index)
    }
    func end(_ trace: inout InstrumentsTrace, _ row: LoopRow) throws(TraceFormatError) {
      guard row.end != LoopRow.open else { return }
      switch row.kind {
      case .run:
        try note(&trace, row.end, .exitLow, row)
        try note(&trace, row.end, .runEnd, row, [UInt64(row.result)])
      case .iteration: break
      case .wait: if !row.isPoll { try note(&trace, row.end, .afterWaitingLow, row) }
      }
    }

    for var row in rows {
      // Nothing is inside a wait. An interval of the same depth ends an open one, even if the table lacks its end.
      while let top = open.last, top.end < row.start || top.depth >= row.depth || top.kind == .wait {
        try end(&self, top)
        open.removeLast()
      }
      if let around = open.last {
        row.end = min(row.end, around.end)
        if row.mode < 0 { row.mode = around.mode }
      }
      let isBegun = row.start > 0
      switch row.kind {
      case .run:
        summary.runs += 1
        if isBegun {
          let arguments = [LoopRow.timeoutNs(bits: row.timeout), row.returnsAfterSource ? 1 : 0]
          try note(&self, row.start, .runBegin, row, arguments)
          try note(&self, row.start, .entryLow, row)
        }
      case .iteration:
        summary.iterations += 1
        if isBegun { try note(&self, row.start, .beforeTimersLow, row) }
      case .wait:
        if row.isPoll {
          summary.polls += 1
        } else {
          summary.waits += 1
          if isBegun { try note(&self, row.start, .beforeWaitingLow, row) }
        }
      }
      open.append(row)
    }
    while let top = open.popLast() { try end(&self, top) }
    try emitNotes(&self, until: .max)
    try flush(index)
  }

  // MARK: Notes

  /// Returns the begins and ends of all notes of the process in the order of time, by thread; nil = no thread.
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
          Edge(time: note.start, kind: .mark, object: 0, name: string(name)))
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
      objects += 1
      let object = ObjectID(number: objects).rawValue
      edges[thread, default: []].append(
        Edge(time: note.start, kind: .intervalBegin, object: object, name: string(shown)))
      edges[thread, default: []].append(
        Edge(time: note.start + note.duration, kind: .intervalEnd, object: object, name: nil))
    }
    for thread in edges.keys { edges[thread] = edges[thread]?.ordered { $0.time < $1.time } }
    return edges
  }

  private mutating func emit(_ edge: Edge, _ thread: UInt32) throws(TraceFormatError) {
    try emit(edge.time, edge.kind, 0, edge.object, edge.name.map { [UInt64($0)] } ?? [], thread)
  }

  // MARK: Events

  private mutating func emit(
    _ time: UInt64, _ kind: EventKind, _ mode: UInt8, _ object: UInt32, _ arguments: [UInt64],
    _ thread: UInt32
  ) throws(TraceFormatError) {
    if buffer.isFull { try flush(thread) }
    (first, last) = (min(first, time), max(last, time))
    buffer.append(time: time, kind: kind.rawValue, mode: mode, object: object, arguments: arguments)
  }

  private mutating func flush(_ thread: UInt32) throws(TraceFormatError) {
    try writer.write(newStrings)
    try writer.write(newModes)
    (newStrings, newModes) = ([], [])
    try writer.write(buffer, thread: thread)
    buffer.removeAll()
  }

  // MARK: Names

  private mutating func string(_ text: String) -> UInt32 {
    if text.isEmpty { return 0 }
    if let id = strings[text] { return id }
    guard strings.count < TraceLimits.strings else { return 0 }
    let id = UInt32(strings.count + 1)
    strings[text] = id
    newStrings.append(StringDefinition(id: id, text: text))
    return id
  }

  private mutating func mode(_ text: Int32) -> UInt8 {
    if let id = modes[text] { return id }
    guard modes.count < Int(ModeDefinition.overflowID) - 1 else { return ModeDefinition.overflowID }
    let id = UInt8(modes.count + 1)
    modes[text] = id
    newModes.append(
      ModeDefinition(id: id, name: text < 0 ? Self.unknownMode : recording.names.texts[Int(text)]))
    return id
  }
}
