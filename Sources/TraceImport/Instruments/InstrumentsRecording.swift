import TraceResults

/// The tables of one Instruments recording: the rows about run loops, by thread, and the other rows.
public struct InstrumentsRecording {
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
  public struct Table: Sendable {
    public var name: String
    public var rows = 0
    public var isRead: Bool
  }

  var names = InstrumentsNames()
  /// By the index of the thread in `names`.
  private(set) var loops: [Int: LoopRows] = [:]
  private(set) var notes: [Note] = []
  private(set) var samples = StackSamples()
  /// The threads of main run loops, as indices into `names.threads`.
  private(set) var mainThreads: Set<Int> = []
  /// All tables, in the order of the files.
  public private(set) var tables: [Table] = []
  /// Words in the column "interval-type" that this version does not know, with the number of their rows.
  public private(set) var unknownIntervals: [String: Int] = [:]
  private var run: Int?
  /// Which of the two tables about run loops is read. The other one has the same information.
  private var loopTable: InstrumentsTable?
  private var loopRows = 0
  private var isIgnored = false

  public init() {}

  /// The names of the tables that are read.
  public static var tableNames: [String] { InstrumentsTable.allCases.map(\.rawValue) }

  /// Reads one file. `read` fills the buffer and returns the number of bytes, 0 at the end, or -1 after an error.
  public mutating func read(
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
    case .signpostIntervals: try add(.interval, row, start: .start, name: .name, xml)
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
    guard let time = row.number(start) else { throw xml.error("\(start.rawValue) is not a time") }
    let duration = row.number(.duration) ?? 0
    guard time.addingReportingOverflow(duration).overflow == false else {
      throw xml.error("a time is too large")
    }
    notes.append(
      Note(
        kind: kind, start: time, duration: duration, name: name.flatMap(row.text),
        thread: row.thread(.thread) ?? row.thread(.startThread), process: row.process(.process)))
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
      guard let start = row.number(.start), let duration = row.number(.duration) else {
        throw xml.error("start or duration is not a time")
      }
      let (end, isOver) = start.addingReportingOverflow(duration)
      guard !isOver, end < LoopRow.open else { throw xml.error("a time is too large") }
      (interval.start, interval.end) = (start, end)
      interval.result = UInt8(clamping: row.number(.runResult) ?? 0)
      interval.returnsAfterSource = row.number(.returnsAfterSource) ?? 0 != 0
      loops[thread, default: LoopRows()].add(interval)
    } else {
      guard let time = row.number(.timestamp), time < LoopRow.open else {
        throw xml.error("timestamp is not a time")
      }
      let other = row.number(.otherArgument) ?? 0
      switch row.number(.eventType) {
      case 1:
        interval.start = time
        interval.returnsAfterSource = kind == .run && other == 1
        guard loops[thread, default: LoopRows()].begin(interval) else {
          throw xml.error("more than \(ImportLimits.openIntervals) intervals of a thread are open")
        }
      case 2: loops[thread, default: LoopRows()].end(interval, at: time, result: UInt8(clamping: other))
      default: unknownIntervals["event-type \(row.number(.eventType) ?? 0)", default: 0] += 1
      }
    }
  }

  private mutating func addSample(
    _ row: InstrumentsDocument.Row, _ names: InstrumentsNames, _ xml: XMLReader
  ) throws(ImportError) {
    guard let time = row.number(.time), let thread = row.thread(.thread) else {
      throw xml.error("a sample without a time or a thread")
    }
    guard time < LoopRow.open else { throw xml.error("a time is too large") }
    let sample = (row.stack(.stack) ?? row.stack(.userStack)).map { stack in
      StackSample(
        time: time, weightNs: UInt32(clamping: row.number(.weight) ?? 0), thread: Int32(thread), stack: stack,
        state: StackSample.State(row.text(.threadState).map { names.texts[$0] }))
    }
    samples.add(sample)
  }

  // MARK: Processes

  /// A process with run loops.
  public struct Process: Sendable, Equatable {
    public var name: String
    public var pid: UInt64
    /// An index into `names.processes`; nil = the file does not say which process it is.
    var index: Int?
    public var loopRows: Int
  }

  /// The processes with run loops, those with the most rows first.
  public var processes: [Process] {
    var rows: [Int?: Int] = [:]
    for (thread, loop) in loops { rows[names.threads[thread].process, default: 0] += loop.count }
    return rows.map { index, rows in
      let process = index.map { names.processes[$0] }
      return Process(name: process?.name ?? "", pid: process?.pid ?? 0, index: index, loopRows: rows)
    }.ordered { ($1.loopRows, $0.pid) < ($0.loopRows, $1.pid) }
  }
}
