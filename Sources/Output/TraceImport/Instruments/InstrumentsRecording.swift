import TraceReplay
import TraceResults

/// The tables of one Instruments recording: the rows about run loops, by thread, and the other rows.
package struct InstrumentsRecording {
  /// Something that Instruments or the program noted, with its thread if the table states one.
  struct Note {
    enum Kind { case mark, interval, hang, hitch }

    var kind: Kind
    var start: UInt64
    var duration: UInt64
    /// An index into `names.texts`.
    var name: Int?
    var thread: Int?
    var process: Int?
  }

  /// A table in the files.
  package struct Table: Sendable {
    package var name: String
    package var rows = 0
    package var isRead: Bool
  }

  var names = InstrumentsNames()
  /// By the index of the thread in `names`.
  private(set) var loops: [Int: LoopRows] = [:]
  private(set) var notes: [Note] = []
  private(set) var samples = StackSamples()
  /// The threads of main run loops, as indices into `names.threads`.
  private(set) var mainThreads: Set<Int> = []
  /// All tables, in the order of the files.
  package private(set) var tables: [Table] = []
  /// Words in the column "interval-type" that this version does not know, with the number of their rows.
  package private(set) var unknownIntervals: [String: Int] = [:]
  private var run: Int?
  /// Which of the two tables about run loops is read. The other one has the same information.
  private var loopTable: InstrumentsTable?
  private var loopRows = 0
  private var isIgnored = false
  private var signpostTable: InstrumentsTable?
  /// Begins of signposts without an end so far, as indices into `notes`.
  private var openSignposts: [Signpost: [Int]] = [:]

  private struct Signpost: Hashable {
    var name: Int?
    var identifier: UInt64
    var process: Int?
  }

  package init() {}

  /// The names of the tables that are read.
  package static var tableNames: [String] { InstrumentsTable.allCases.map(\.rawValue) }

  /// Reads one file. `read` fills the buffer and returns the number of bytes, 0 at the end, or -1 after an error.
  package mutating func read(
    _ read: @escaping (UnsafeMutableRawBufferPointer) -> Int
  ) throws(ImportError) {
    var document = InstrumentsDocument(try XMLReader(read: read), names: names)
    try document.read(into: &self)
    names = document.names
  }

  // MARK: Rows

  mutating func note(run number: Int, _ xml: XMLReader) throws(ImportError) {
    if let run, run != number {
      throw xml.error(
        "this table is of run \(number), an earlier one of run \(run); import one run at a time")
    }
    run = number
  }

  mutating func begin(
    _ table: InstrumentsTable?, named name: String, _ columns: [InstrumentsColumn?], _ xml: XMLReader
  ) throws(ImportError) {
    isIgnored = false
    if let table {
      if let missing = table.needed.first(where: { !columns.contains($0) }) {
        throw xml.error("the table \(name) has no column \(missing.rawValue)")
      }
      if table.isOfLoops {
        if let loopTable, loopTable != table {
          isIgnored = true
        } else if tables.contains(where: { $0.name == name && $0.rows > 0 }) {
          throw xml.error("a second table \(name); import each table once")
        } else {
          loopTable = table
        }
      }
    }
    if let table, table.isOfSignposts {
      signpostTable = signpostTable ?? table
      isIgnored = signpostTable != table
    }
    if let table, table.isOfStacks {
      let isNew = !tables.contains { $0.name == name && $0.rows > 0 }
      guard isNew else { throw xml.error("a second table \(name); import each table once") }
      isIgnored = !samples.begins(table)
      if !isIgnored, let other = tables.firstIndex(where: { $0.name == InstrumentsTable.timeSample.rawValue })
      {
        tables[other].isRead = false
      }
    }
    tables.append(Table(name: harmless(name), isRead: table != nil && !isIgnored))
  }

  /// Notes rows that cannot be read, because their columns are not known.
  mutating func skip(_ name: String, rows: Int) {
    tables.append(Table(name: name, rows: rows, isRead: false))
  }

  mutating func add(
    _ row: InstrumentsDocument.Row, of table: InstrumentsTable?, in names: InstrumentsNames, _ xml: XMLReader
  ) throws(ImportError) {
    tables[tables.count - 1].rows += 1
    guard let table, !isIgnored else { return }
    if let missing = table.needed.first(where: { row.cells[$0] == nil }) {
      throw xml.error("a row of \(table.rawValue) without \(missing.rawValue)")
    }
    switch table {
    case .runLoopEvents, .runLoopIntervals: try addLoop(row, table, names, xml)
    case .potentialHangs: try add(.hang, row, start: .start, name: .hangType, xml)
    case .hitches: try add(.hitch, row, start: .start, name: nil, xml)
    case .signpostIntervals, .oldSignpostIntervals:
      try add(.interval, row, start: .start, name: .name, xml)
    case .signposts: try addSignpost(row, names, xml)
    case .pointsOfInterest: try add(.mark, row, start: .time, name: .name, xml)
    case .timeProfile, .timeSample: try addSample(row, names, xml)
    }
  }

  private mutating func add(
    _ kind: Note.Kind, _ row: InstrumentsDocument.Row, start: InstrumentsColumn, name: InstrumentsColumn?,
    _ xml: XMLReader
  ) throws(ImportError) {
    guard notes.count < ImportLimits.otherRows else {
      throw xml.error("more than \(ImportLimits.otherRows) rows other than those of run loops")
    }
    let (time, _, duration) = try span(row, start, xml)
    notes.append(
      Note(
        kind: kind, start: time, duration: duration, name: name.flatMap(row.text),
        thread: row.thread(.thread) ?? row.thread(.startThread), process: row.process(.process)))
  }

  /// Adds the begin or end of a signpost's interval, or an event of its own.
  private mutating func addSignpost(
    _ row: InstrumentsDocument.Row, _ names: InstrumentsNames, _ xml: XMLReader
  ) throws(ImportError) {
    let signpost = Signpost(
      name: row.text(.name), identifier: row.number(.identifier) ?? 0,
      process: row.process(.process) ?? row.thread(.thread).flatMap { names.threads[$0].process })
    switch row.text(.eventType).map({ names.texts[$0] }) {
    case "Event": try add(.mark, row, start: .time, name: .name, xml)
    case "Begin":
      try add(.interval, row, start: .time, name: .name, xml)
      notes[notes.count - 1].duration = .max
      openSignposts[signpost, default: []].append(notes.count - 1)
    case "End":
      let (time, _, _) = try span(row, .time, xml)
      guard let place = openSignposts[signpost]?.popLast() else {
        unknownIntervals["signpost's end without a begin", default: 0] += 1
        return
      }
      notes[place].duration = time - min(time, notes[place].start)
    case let other: unknownIntervals[harmless(other ?? "event-type"), default: 0] += 1
    }
  }

  /// Returns the time of a row, its end, and its duration, 0 if it has none.
  private func span(
    _ row: InstrumentsDocument.Row, _ column: InstrumentsColumn, _ xml: XMLReader
  ) throws(ImportError) -> (start: UInt64, end: UInt64, duration: UInt64) {
    guard let start = row.number(column) else { throw xml.error("\(column.rawValue) is not a time") }
    let duration = row.number(.duration) ?? 0
    let (end, isOver) = start.addingReportingOverflow(duration)
    guard !isOver, end <= AnalysisLimits.timeNs else {
      throw xml.error("the time \(isOver ? start : end) ns is beyond the limit of two years (timeNs)")
    }
    return (start, end, duration)
  }

  private mutating func addLoop(
    _ row: InstrumentsDocument.Row, _ table: InstrumentsTable, _ names: InstrumentsNames, _ xml: XMLReader
  ) throws(ImportError) {
    guard let word = row.text(.intervalType).map({ names.texts[$0] }), let thread = row.thread(.thread) else {
      throw xml.error("a row about a run loop without an interval's type or a thread")
    }
    guard let known = LoopRowKind.named(word) else {
      unknownIntervals[harmless(word), default: 0] += 1
      return
    }
    guard let kind = known else { return }
    loopRows += 1
    guard loopRows <= ImportLimits.loopRows else {
      throw xml.error("more than \(ImportLimits.loopRows) rows about run loops; export a shorter range")
    }
    if row.number(.isMain) ?? 0 != 0 { mainThreads.insert(thread) }
    var interval = LoopRow(kind: kind, level: UInt8(clamping: row.number(.nestingLevel) ?? 1))
    interval.mode = row.text(.mode).map(Int32.init) ?? -1
    interval.timeout = row.number(.timeout) ?? 0
    if table == .runLoopIntervals {
      guard row.number(.duration) != nil else { throw xml.error("duration is not a time") }
      (interval.start, interval.end, _) = try span(row, .start, xml)
      interval.result = UInt8(clamping: row.number(.runResult) ?? 0)
      interval.returnsAfterSource = row.number(.returnsAfterSource) ?? 0 != 0
      loops[thread, default: LoopRows()].add(interval)
    } else {
      let (time, _, _) = try span(row, .timestamp, xml)
      let other = row.number(.otherArgument) ?? 0
      switch row.number(.eventType) {
      case 1:
        interval.start = time
        interval.returnsAfterSource = kind == .run && other == 1
        guard loops[thread, default: LoopRows()].begin(interval) else {
          throw xml.error("more than \(ImportLimits.openIntervals) intervals of a thread are open")
        }
      case 2:
        if !loops[thread, default: LoopRows()].end(interval, at: time, result: UInt8(clamping: other)) {
          unknownIntervals["end of \(word) without a begin", default: 0] += 1
        }
      default: unknownIntervals["event-type \(row.number(.eventType) ?? 0)", default: 0] += 1
      }
    }
  }

  private mutating func addSample(
    _ row: InstrumentsDocument.Row, _ names: InstrumentsNames, _ xml: XMLReader
  ) throws(ImportError) {
    guard let thread = row.thread(.thread) else { throw xml.error("a sample without a thread") }
    let (time, _, _) = try span(row, .time, xml)
    let sample = (row.stack(.stack) ?? row.stack(.userStack)).map { stack in
      StackSample(
        time: time, weightNs: UInt32(clamping: row.number(.weight) ?? 0), thread: Int32(thread), stack: stack,
        state: StackSample.State(row.text(.threadState).map { names.texts[$0] }))
    }
    samples.add(sample)
  }

  // MARK: Processes

  /// Whether the tables list hangs and nothing about run loops.
  var hasOnlyHangs: Bool { loops.isEmpty && notes.contains { $0.kind == .hang } }

  /// The threads with hangs, and their hangs in time order, joined where they overlap.
  var hangs: [Int: [(start: UInt64, end: UInt64)]] {
    var hangs: [Int: [(start: UInt64, end: UInt64)]] = [:]
    for note in notes.filter({ $0.kind == .hang }).ordered(by: { $0.start < $1.start }) {
      guard let thread = note.thread else { continue }
      var joined = (note.start, note.start &+ note.duration)
      if let last = hangs[thread]?.last, last.end >= note.start {
        joined = (last.start, max(last.end, joined.1))
        hangs[thread]?.removeLast()
      }
      hangs[thread, default: []].append(joined)
    }
    return hangs
  }

  /// Makes each hang a pass without a wait. The time between hangs counts as a wait, which the trace states to be unknown.
  mutating func addHangsAsPasses() {
    for (thread, hangs) in hangs {
      var rows = LoopRows()
      var before: UInt64 = 0
      for hang in hangs {
        var wait = LoopRow(kind: .wait, level: 1)
        (wait.start, wait.end, wait.timeout) = (before, hang.start, .max)
        var pass = LoopRow(kind: .iteration, level: 1)
        pass.start = hang.start
        rows.add(wait)
        rows.add(pass)
        before = hang.end
      }
      var wait = LoopRow(kind: .wait, level: 1)
      (wait.start, wait.timeout) = (before, .max)
      rows.add(wait)
      loops[thread] = rows
      mainThreads.insert(thread)
    }
  }

  /// A process with run loops.
  package struct Process: Sendable, Equatable {
    package var name: String
    package var pid: UInt64
    /// An index into `names.processes`; nil = the file does not say which process it is.
    var index: Int?
    package var loopRows: Int
  }

  /// The processes with run loops, or with hangs if there are no run loops, those with the most rows first.
  package var processes: [Process] {
    var rows: [Int?: Int] = [:]
    if hasOnlyHangs {
      for (thread, hangs) in hangs { rows[names.threads[thread].process, default: 0] += hangs.count }
    }
    for (thread, loop) in loops { rows[names.threads[thread].process, default: 0] += loop.count }
    return rows.map { index, rows in
      let process = index.map { names.processes[$0] }
      return Process(name: process?.name ?? "", pid: process?.pid ?? 0, index: index, loopRows: rows)
    }.ordered { ($1.loopRows, $0.pid) < ($0.loopRows, $1.pid) }
  }
}
