import Foundation
import SystemSupport
import TraceResults

/// Reads one document of `xctrace export` and hands over its rows.
///
/// Any later `ref` may repeat a value that has an `id`, even a time. Ids live for the whole document.
struct InstrumentsDocument {
  /// The cells of one row, by column.
  struct Row {
    fileprivate(set) var cells: [InstrumentsColumn: InstrumentsValue] = [:]

    func number(_ column: InstrumentsColumn) -> UInt64? { cells[column]?.number }
    func text(_ column: InstrumentsColumn) -> Int? { cells[column]?.text }
    func thread(_ column: InstrumentsColumn) -> Int? { cells[column]?.thread }
    func process(_ column: InstrumentsColumn) -> Int? { cells[column]?.process }
    func stack(_ column: InstrumentsColumn) -> Int32? { cells[column]?.stack }
  }

  struct Attributes {
    var id: UInt64?
    var ref: UInt64?
    var format = ""
    var name = ""
    var xpath = ""
    /// For a frame or binary, like those below.
    var address = ""
    var loadAddress = ""
    var uuid = ""
    var path = ""
    var isWrong = false
  }

  private enum ElementType {
    case number, thread, process, sentinel, text, frame, binary, stack, addresses, other
    /// A number that describes a stack. Other text is ignored.
    case optionalNumber
  }

  let xml: XMLReader
  private var ids = InstrumentsIDs()
  private var types: [UnsafePointer<UInt8>: ElementType] = [:]

  /// The names in this document, and in those before it.
  var names: InstrumentsNames

  init(_ xml: XMLReader, names: InstrumentsNames) { (self.xml, self.names) = (xml, names) }

  /// Reads the document. Adds names to `recording`, and each row of a table that is read.
  mutating func read(into recording: inout InstrumentsRecording) throws(ImportError) {
    guard case .start(let isEmpty) = try firstElement() else {
      throw xml.error("the document has no element")
    }
    let root = xml.name
    guard root == "trace-query-result" else {
      throw xml.error(
        root == "trace-toc"
          ? "this is the table of contents; export a table with --xpath"
          : "not an export of xctrace: <\(harmless(root))>")
    }
    if isEmpty { return }
    try forEachChild { (document, isEmpty) throws(ImportError) in
      guard document.xml.name == "node" else { return try document.skip(isEmpty) }
      let attributes = document.attributes()
      if let run = InstrumentsDocument.runNumber(attributes.xpath) {
        try recording.note(run: run, document.xml)
      }
      try document.readNode(isEmpty, attributes.xpath, into: &recording)
    }
  }

  /// Returns the number in "…/run[2]/…".
  private static func runNumber(_ xpath: String) -> Int? {
    guard let start = xpath.range(of: "/run[") else { return nil }
    return Int(xpath[start.upperBound...].prefix { $0.isNumber })
  }

  private func firstElement() throws(ImportError) -> XMLReader.Node {
    while true {
      let node = try xml.next()
      if node != .text { return node }
    }
  }

  /// Calls `body` at the start of each child of the current element. `body` must read the child to its end.
  mutating func forEachChild(
    _ body: (inout InstrumentsDocument, _ isEmpty: Bool) throws(ImportError) -> Void
  ) throws(ImportError) {
    while true {
      switch try xml.next() {
      case .start(let isEmpty): try body(&self, isEmpty)
      case .end: return
      case .text: continue
      case .documentEnd: throw xml.error("the document ends inside an element; export the table again")
      }
    }
  }

  /// Reads the current element to its end. Its ids stay unknown.
  mutating func skip(_ isEmpty: Bool) throws(ImportError) {
    if !isEmpty { try forEachChild { (document, isEmpty) throws(ImportError) in try document.skip(isEmpty) } }
  }

  // MARK: Tables

  private mutating func readNode(
    _ isEmpty: Bool, _ xpath: String, into recording: inout InstrumentsRecording
  ) throws(ImportError) {
    if isEmpty { return }
    var table: InstrumentsTable?
    var columns: [InstrumentsColumn?]?
    var rowsWithoutSchema = 0
    try forEachChild { (document, isEmpty) throws(ImportError) in
      switch document.xml.name {
      case "schema":
        guard columns == nil else { throw document.xml.error("a node with two schemas") }
        let name = document.attributes().name
        columns = try document.readSchema(name, isEmpty)
        table = InstrumentsTable(rawValue: name)
        try recording.begin(table, named: name, columns ?? [], document.xml)
      case "row":
        guard let columns else {
          rowsWithoutSchema += 1
          return try document.readValues(isEmpty)
        }
        let row = try document.readRow(isEmpty, columns, isRead: table != nil)
        try recording.add(row, of: table, in: document.names, document.xml)
      default: try document.skip(isEmpty)
      }
    }
    if rowsWithoutSchema > 0 { recording.skip(Self.tableName(xpath), rows: rowsWithoutSchema) }
  }

  /// Returns "table[6]" for "…/data[1]/table[6]".
  private static func tableName(_ xpath: String) -> String {
    let name = xpath.split(separator: "/").last.map(String.init) ?? ""
    return "\(name.isEmpty ? "a table" : harmless(name)) without a schema"
  }

  /// Reads the children of the current element, whose values may be repeated elsewhere.
  private mutating func readValues(_ isEmpty: Bool) throws(ImportError) {
    if isEmpty { return }
    try forEachChild { (document, isEmpty) throws(ImportError) in
      _ = try document.readValue(isEmpty, isText: false)
    }
  }

  /// Returns the columns in their order; nil for those that are not read.
  private mutating func readSchema(_ name: String, _ isEmpty: Bool) throws(ImportError)
    -> [InstrumentsColumn?]
  {
    var columns: [InstrumentsColumn?] = []
    if !isEmpty {
      try forEachChild { (document, isEmpty) throws(ImportError) in
        guard document.xml.name == "col", !isEmpty else { return try document.skip(isEmpty) }
        var mnemonic = ""
        try document.forEachChild { (document, isEmpty) throws(ImportError) in
          let isMnemonic = document.xml.name == "mnemonic"
          let text = try document.text(isEmpty)
          if isMnemonic { mnemonic = text }
        }
        guard columns.count < ImportLimits.columns else {
          throw document.xml.error("more than \(ImportLimits.columns) columns")
        }
        columns.append(InstrumentsColumn(rawValue: mnemonic))
      }
    }
    guard !columns.isEmpty else {
      throw xml.error("the table \(harmless(name)) has no columns; export it with its schema")
    }
    return columns
  }

  private mutating func readRow(
    _ isEmpty: Bool, _ columns: [InstrumentsColumn?], isRead: Bool
  ) throws(ImportError) -> Row {
    var row = Row()
    var place = 0
    if isEmpty { return row }
    try forEachChild { (document, isEmpty) throws(ImportError) in
      guard place < columns.count else { throw document.xml.error("a row with more cells than columns") }
      let column = isRead ? columns[place] : nil
      place += 1
      let value = try document.readValue(isEmpty, isText: column?.isText ?? false)
      guard let column, let value else { return }
      if case .unread = value {
        if column.isOptional { return }
        throw document.xml.error("the column \(column.rawValue) has a value of an unknown type")
      }
      row.cells[column] = value
    }
    return row
  }

  // MARK: Values

  /// Reads the current element to its end. Returns nil for a missing value.
  mutating func readValue(
    _ isEmpty: Bool, isText: Bool
  ) throws(ImportError) -> InstrumentsValue? {
    let type = elementType()
    let attributes = attributes(of: type)
    guard !attributes.isWrong else { throw xml.error("an id or ref that is not a number") }
    if type == .sentinel {
      try skip(isEmpty)
      return nil
    }
    if let ref = attributes.ref {
      try skip(isEmpty)
      guard let value = ids[ref] else { throw xml.error("ref \(ref) has no value before it") }
      return value
    }
    let value: InstrumentsValue
    switch type {
    case .number:
      let text = try text(isEmpty)
      guard let number = UInt64(text) else { throw xml.error("'\(harmless(text))' is not a whole number") }
      value = .number(number)
    case .thread, .process: value = try readName(type, isEmpty, attributes.format)
    case .optionalNumber: value = UInt64(try text(isEmpty)).map(InstrumentsValue.number) ?? .unread
    case .frame: value = try readFrame(isEmpty, attributes)
    case .binary: value = try readBinary(isEmpty, attributes)
    case .stack: value = try readStack(isEmpty)
    case .addresses: value = try readAddresses(isEmpty)
    case _ where type == .text || type == .other && isText:
      let text = try text(isEmpty)
      guard let index = names.add(cut(text)) else {
        throw xml.error("more than \(ImportLimits.otherRows) names")
      }
      value = .text(index)
    case .other, .text, .sentinel:
      try readValues(isEmpty)
      value = .unread
    }
    if let id = attributes.id, !ids.set(id, value) {
      throw xml.error("the id \(id) is used twice, or the file has more than \(ImportLimits.values) values")
    }
    return value
  }

  /// Reads a thread, which contains its id and its process, or a process, which contains its id.
  private mutating func readName(
    _ type: ElementType, _ isEmpty: Bool, _ format: String
  ) throws(ImportError) -> InstrumentsValue {
    var number: UInt64?
    var process: Int?
    if !isEmpty {
      try forEachChild { (document, isEmpty) throws(ImportError) in
        switch try document.readValue(isEmpty, isText: false) {
        case .number(let found): number = number ?? found
        case .process(let found): process = Int(found)
        default: break
        }
      }
    }
    let name = cut(InstrumentsDocument.name(format, number))
    let index =
      type == .thread
      ? names.add(InstrumentsNames.Thread(tid: number ?? 0, name: name, process: process))
      : names.add(InstrumentsNames.Process(pid: number ?? 0, name: name))
    guard let index else { throw xml.error("too many threads or processes") }
    return type == .thread ? .thread(index) : .process(index)
  }

  /// Returns the name in "Main Thread (0x1b86) (Finder, pid: 873)" or "Finder (873)".
  static func name(_ format: String, _ number: UInt64?) -> String {
    guard let number else { return format }
    for suffix in [
      " (0x" + String(number, radix: 16) + ")", " 0x" + String(number, radix: 16), " (\(number))",
    ] {
      if let range = format.range(of: suffix) { return String(format[..<range.lowerBound]) }
    }
    return format
  }

  /// Returns the text of the current element, and reads it to its end.
  mutating func text(_ isEmpty: Bool) throws(ImportError) -> String {
    var text = ""
    if isEmpty { return text }
    while true {
      switch try xml.next() {
      case .text: if let bytes = xml.bytes { text += String(cString: bytes) }
      case .start(let isEmpty): try skip(isEmpty)
      case .end: return text
      case .documentEnd: throw xml.error("the document ends inside an element; export the table again")
      }
    }
  }

  private mutating func elementType() -> ElementType {
    guard let address = xml.nameAddress else { return .other }
    if let known = types[address] { return known }
    let name = String(cString: address)
    let type: ElementType =
      switch name {
      case "thread": .thread
      case "process": .process
      case "sentinel": .sentinel
      case "thread-state", "event-type", "signpost-name": .text
      case "frame": .frame
      case "binary": .binary
      case "tagged-backtrace", "backtrace", "kperf-bt": .stack
      case "text-addresses": .addresses
      case "text-address", "weight": .optionalNumber
      default: InstrumentsNumber.types.contains(name) ? .number : .other
      }
    types[address] = type
    return type
  }

  func cut(_ text: String) -> String { String(text.cut(toBytes: ImportLimits.textBytes)) }

  private func attributes(of type: ElementType = .other) -> Attributes {
    var found = Attributes()
    // The name of a thread or process is only in `fmt`, the formatted text.
    let withFormat = type == .thread || type == .process
    let isCode = type == .frame || type == .binary
    xml.forEachAttribute { name, value in
      switch name[0] {
      case UInt8(ascii: "i") where strcmp(name, "id") == 0:
        found.id = UInt64(String(cString: value))
        found.isWrong = found.isWrong || found.id == nil
      case UInt8(ascii: "r") where strcmp(name, "ref") == 0:
        found.ref = UInt64(String(cString: value))
        found.isWrong = found.isWrong || found.ref == nil
      case UInt8(ascii: "f") where withFormat && strcmp(name, "fmt") == 0:
        found.format = String(cString: value)
      case UInt8(ascii: "n") where strcmp(name, "name") == 0: found.name = String(cString: value)
      case UInt8(ascii: "x") where strcmp(name, "xpath") == 0: found.xpath = String(cString: value)
      case UInt8(ascii: "a") where isCode && strcmp(name, "addr") == 0:
        found.address = String(cString: value)
      case UInt8(ascii: "l") where isCode && strcmp(name, "load-addr") == 0:
        found.loadAddress = String(cString: value)
      case UInt8(ascii: "U") where isCode && strcmp(name, "UUID") == 0: found.uuid = String(cString: value)
      case UInt8(ascii: "p") where isCode && strcmp(name, "path") == 0: found.path = String(cString: value)
      default: break
      }
    }
    return found
  }
}
