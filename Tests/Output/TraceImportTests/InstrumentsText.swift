/// Writes documents in the form of `xctrace export`.
struct InstrumentsText {
  /// A cell: the engineering type and the text, or nil for a missing value.
  typealias Cell = (type: String, text: String)?

  private var text = "<?xml version=\"1.0\"?>\n<trace-query-result>\n"
  private var nextID = 1
  private var ids: [String: Int] = [:]
  /// Whether equal values are written once and repeated as references.
  let usesIDs: Bool
  private var columns: [(name: String, type: String)] = []

  init(usesIDs: Bool = true) { self.usesIDs = usesIDs }

  mutating func begin(_ table: String, _ columns: [(name: String, type: String)], run: Int = 1) {
    self.columns = columns
    text += "<node xpath='//trace-toc[1]/run[\(run)]/data[1]/table[3]'><schema name=\"\(table)\">"
    for (name, type) in columns {
      text +=
        "<col><mnemonic>\(name)</mnemonic><name>\(name)</name><engineering-type>\(type)</engineering-type></col>"
    }
    text += "</schema>"
  }

  mutating func row(_ cells: [String: String]) {
    text += "<row>"
    for (name, type) in columns { text += cell(type, cells[name]) }
    text += "</row>\n"
  }

  mutating func end() -> String {
    text += "</node>"
    return text + "</trace-query-result>\n"
  }

  mutating func endTable() { text += "</node>\n" }

  private mutating func cell(_ type: String, _ value: String?) -> String {
    guard let value else { return "<sentinel/>" }
    let key = type + " " + value
    if usesIDs, let known = ids[key] { return "<\(type) ref=\"\(known)\"/>" }
    ids[key] = nextID
    let id = usesIDs ? " id=\"\(nextID)\"" : ""
    nextID += 1
    let shown = escaped(value)
    switch type {
    case "thread":
      // "name|tid|process|pid"
      let parts = value.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      let process = cell("process", parts[2] + "|" + parts[3])
      let name =
        "\(escaped(parts[0])) (0x\(String(UInt64(parts[1]) ?? 0, radix: 16))) (\(escaped(parts[2])), pid: \(parts[3]))"
      return "<thread\(id) fmt=\"\(name)\">\(cell("tid", parts[1]))\(process)</thread>"
    case "process":
      let parts = value.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      return "<process\(id) fmt=\"\(escaped(parts[0])) (\(parts[1]))\">\(cell("pid", parts[1]))</process>"
    case "tagged-backtrace":
      return "<\(type)\(id) fmt=\"for people\">\(cell("backtrace", value))</\(type)>"
    case "backtrace":
      // Frames, innermost first, with a line feed between them.
      let frames = value.split(separator: "\n").map { cell("frame", String($0)) }
      return "<backtrace\(id)>\(frames.joined())</backtrace>"
    case "frame":
      // "address|path of the binary|UUID|load address|name"; without a path, there is no binary
      let parts = value.split(separator: "|", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
      let binary = parts[1].isEmpty ? "" : cell("binary", parts[1...3].joined(separator: "|"))
      return "<frame\(id) name=\"\(escaped(parts[4]))\" addr=\"\(parts[0])\">\(binary)</frame>"
    case "binary":
      let parts = value.split(separator: "|", omittingEmptySubsequences: false).map { escaped(String($0)) }
      let name = parts[0].split(separator: "/").last ?? ""
      return
        "<binary\(id) name=\"\(name)\" UUID=\"\(parts[1])\" arch=\"arm64\" load-addr=\"\(parts[2])\" path=\"\(parts[0])\"/>"
    case "kperf-bt":
      // "program counter|addresses of callers"
      let parts = value.split(separator: "|").map(String.init)
      return
        "<kperf-bt\(id)>\(cell("text-addresses", parts[1]))\(cell("text-address", parts[0]))</kperf-bt>"
    default: return "<\(type)\(id) fmt=\"for people\">\(shown)</\(type)>"
    }
  }

  private func escaped(_ text: String) -> String {
    text.map { ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"][$0] ?? String($0) }.joined()
  }
}

/// A run, iteration or wait that a test writes in both forms.
struct WrittenInterval: Equatable {
  enum Kind: Int { case run, iteration, wait }

  var kind: Kind
  var level: Int
  var start: UInt64
  var end: UInt64
  var mode: String
  /// "name|tid|process|pid"
  var thread: String
  var isMain = true
  /// For a wait: 0 is a poll.
  var timeout: UInt64 = .max

  static let events: [(name: String, type: String)] = [
    ("timestamp", "event-time"), ("timestamp-accuracy", "string"), ("interval-type", "short-string"),
    ("event-type", "kdebug-func"), ("interval-identifier", "short-string"), ("nesting-level", "uint64"),
    ("mode", "medium-length-string"), ("is-main", "boolean"), ("thread", "thread"),
    ("runloop-pointer", "address"), ("timeout", "uint64"), ("other-arg", "uint64"),
  ]

  static let intervals: [(name: String, type: String)] = [
    ("start", "start-time"), ("duration", "duration"), ("interval-type", "short-string"),
    ("interval-identifier", "short-string"), ("nesting-level", "uint64"),
    ("containment-level", "containment-level"), ("mode", "medium-length-string"), ("is-main", "boolean"),
    ("thread", "thread"), ("process", "process"), ("runloop-pointer", "address"), ("timeout", "uint64"),
    ("run-result", "cfrunloop-result"), ("return-after-source-handled", "boolean"),
    ("waiting-on-ports", "mach-port"), ("received-port", "mach-port"), ("label", "string"),
    ("color", "event-concept"),
  ]

  private var common: [String: String] {
    [
      "nesting-level": "\(level)", "mode": mode, "is-main": isMain ? "1" : "0", "thread": thread,
      "runloop-pointer": "\(UInt64.max)",
      // "No limit", in the form of each kind.
      "timeout": kind == .wait ? "\(timeout)" : "4768471730841330159",
    ]
  }

  func asInterval() -> [String: String] {
    var cells = common
    cells["start"] = "\(start)"
    cells["duration"] = "\(end - start)"
    cells["interval-type"] = ["Runloop Run", "Individual Iteration", "Waiting For Events"][kind.rawValue]
    cells["containment-level"] = "\(kind.rawValue + 3)"
    cells["label"] = "label"
    if kind == .run {
      cells["run-result"] = "4"
      cells["return-after-source-handled"] = "3"
    }
    return cells
  }

  /// The begin or the end.
  func asEvent(isBegin: Bool) -> [String: String] {
    var cells = common
    cells["timestamp"] = "\(isBegin ? start : end)"
    cells["timestamp-accuracy"] = "recorded"
    cells["interval-type"] = ["runloop_run", "individual_iteration", "waiting_for_events"][kind.rawValue]
    cells["event-type"] = isBegin ? "1" : "2"
    cells["other-arg"] = kind == .run ? (isBegin ? "1" : "4") : "0"
    if !isBegin { cells["timeout"] = "\(UInt64.max)" }
    return cells
  }

  /// Returns a document of the table runloop-intervals.
  static func document(intervals list: [WrittenInterval]) -> String {
    var text = InstrumentsText()
    text.begin("runloop-intervals", intervals)
    for interval in list { text.row(interval.asInterval()) }
    return text.end()
  }

  /// Returns a document of the table runloop-events. `list` is in the order of begins, outer ones first. `dropped`: the
  /// numbers of rows to leave out.
  static func document(events list: [WrittenInterval], without dropped: Set<Int> = []) -> String {
    var edges: [(time: UInt64, thread: String, cells: [String: String])] = []
    for thread in Set(list.map(\.thread)).sorted() {
      var open: [WrittenInterval] = []
      func end(_ interval: WrittenInterval) {
        edges.append((interval.end, thread, interval.asEvent(isBegin: false)))
      }
      func depth(_ interval: WrittenInterval) -> Int { interval.level * 3 + interval.kind.rawValue }
      for interval in list where interval.thread == thread {
        while let top = open.last, depth(top) >= depth(interval) || top.kind == .wait {
          end(open.removeLast())
        }
        edges.append((interval.start, thread, interval.asEvent(isBegin: true)))
        open.append(interval)
      }
      while let top = open.popLast() { end(top) }
    }
    // The table is in time order.
    let order = edges.indices.sorted { (edges[$0].time, $0) < (edges[$1].time, $1) }
    var text = InstrumentsText()
    text.begin("runloop-events", events)
    for (number, place) in order.enumerated() where !dropped.contains(number) { text.row(edges[place].cells) }
    return text.end()
  }
}
