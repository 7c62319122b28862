import Foundation
import RunLoopVocabulary
import TraceTables

/// A summary as one line of JSON, `rltrace.summary/1`.
package enum SummaryJSON {
  /// The longest line that is read.
  package static let lineBytes = 1 << 24
  static let textBytes = 1 << 12
  static let keyLimit = 32
  static let rowLimit = 1 << 16
  static let cellLimit = 1 << 16

  // MARK: Writing

  /// Returns the line without a newline. Equal summaries give equal bytes.
  package static func encode(_ summary: SessionSummary) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8192)
    bytes += "{\"schema\":\"\(SessionSummary.schema)\"".utf8
    if let id = summary.id {
      bytes += ",\"id\":".utf8
      JSONString.append(id, to: &bytes)
    }
    bytes += ",\"sessions\":\(summary.sessions),\"keys\":{".utf8
    for (number, key) in summary.keys.keys.ordered().enumerated() {
      if number > 0 { bytes.append(UInt8(ascii: ",")) }
      JSONString.append(key, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      JSONString.append(summary.keys[key] ?? "", to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
    for list in SummaryList.all where !(list.isOptional && summary.lists[list.index].isEmpty) {
      encode(list, summary, &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  private static func encode(_ list: SummaryList, _ summary: SessionSummary, _ bytes: inout [UInt8]) {
    bytes += ",\"\(list.name)\":[".utf8
    for (number, entry) in summary.rows(list).enumerated() {
      bytes += (number > 0 ? ",{" : "{").utf8
      var isFirst = true
      func begin(_ name: String) {
        bytes += (isFirst ? "\"\(name)\":" : ",\"\(name)\":").utf8
        isFirst = false
      }
      for (identity, text) in zip(list.identity, entry.identity) {
        begin(identity.name)
        JSONString.append(text, to: &bytes)
      }
      for (place, field) in list.fields.enumerated() {
        if field.kind == .cells {
          let cells = entry.row.cells[place]
          guard !cells.isEmpty else { continue }
          begin(field.name)
          bytes.append(UInt8(ascii: "["))
          for (number, cell) in SummaryCells.ordered(cells).enumerated() {
            bytes += (number > 0 ? ",[\(cell.value),\(cell.count)]" : "[\(cell.value),\(cell.count)]").utf8
          }
          bytes.append(UInt8(ascii: "]"))
        } else if let value = entry.row.numbers[place] {
          begin(field.name)
          bytes += "\(value)".utf8
          if field.kind == .longest, let session = entry.row.longestIn {
            begin("longest_in")
            JSONString.append(session, to: &bytes)
          }
        }
      }
      bytes.append(UInt8(ascii: "}"))
    }
    bytes.append(UInt8(ascii: "]"))
  }

  // MARK: Reading

  /// The reason why a line is not used.
  package struct Problem: Error, Equatable, Sendable {
    package let what: String
  }

  /// Reads a line. Throws if any part of it differs from the output of `encode`, so that no wrong numbers are added.
  package static func decode(_ line: [UInt8]) throws(Problem) -> SessionSummary {
    guard line.count <= lineBytes else { throw Problem(what: "the line is longer than \(lineBytes) bytes") }
    let read: Line
    do { read = try JSONDecoder().decode(Line.self, from: Data(line)) } catch let error as DecodingError {
      throw Problem(what: words(error))
    } catch let error as Problem { throw error } catch { throw Problem(what: "\(error)") }
    return read.summary
  }

  private static func words(_ error: DecodingError) -> String {
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "\(path(context.codingPath)) has a value of the wrong type"
    case .keyNotFound(let key, let context): "\(path(context.codingPath + [key])) is missing"
    // The decoder reports numbers out of range in the same way as malformed text, often without a path.
    case .dataCorrupted(let context):
      "\(path(context.codingPath)) is not JSON, or has a number that is not whole, below 0 or too large"
    @unknown default: "not a summary"
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.isEmpty
      ? "the line" : keys.map { $0.intValue.map { "\($0 + 1)" } ?? $0.stringValue }.joined(separator: ".")
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private struct Line: Decodable {
    var summary = SessionSummary()

    init(from decoder: any Decoder) throws {
      let line = try decoder.container(keyedBy: Key.self)
      let schema = try line.decode(String.self, forKey: Key(stringValue: "schema"))
      guard schema == SessionSummary.schema else {
        throw Problem(what: "the schema is '\(schema.prefix(40))', not \(SessionSummary.schema)")
      }
      summary.id = try line.decodeIfPresent(String.self, forKey: Key(stringValue: "id"))
      summary.sessions = try line.decode(UInt64.self, forKey: Key(stringValue: "sessions"))
      guard summary.sessions > 0, summary.id == nil || summary.sessions == 1 else {
        throw Problem(
          what: "sessions is \(summary.sessions), for \(summary.id == nil ? "a merged summary" : "one trace")"
        )
      }
      summary.keys = try line.decode([String: String].self, forKey: Key(stringValue: "keys"))
      guard summary.keys.count <= keyLimit else { throw Problem(what: "more than \(keyLimit) keys") }
      for (key, text) in summary.keys { try check(key, "keys"); try check(text, key) }
      try check(summary.id ?? "", "id")
      for (place, list) in SummaryList.all.enumerated() {
        let key = Key(stringValue: list.name)
        guard line.contains(key) else {
          if list.isOptional { continue }
          throw Problem(what: "\(list.name) is missing")
        }
        var rows = try line.nestedUnkeyedContainer(forKey: key)
        while !rows.isAtEnd {
          let fields = try rows.nestedContainer(keyedBy: Key.self)
          guard rows.currentIndex <= rowLimit else {
            throw Problem(what: "\(list.name) has more than \(rowLimit) rows")
          }
          try read(fields, list, place)
        }
      }
      // At least half of each hang lies in runs (`BusyInterval.hangLengthNs`).
      for (_, row) in summary.rows(.loops) {
        if let time = SummaryList.loops.place("time_ns").flatMap({ row.numbers[$0] }),
          row.number("hang_ns", of: .loops) > time.saturated(times: 2)
        {
          throw Problem(what: "loops.hang_ns is more than twice loops.time_ns")
        }
      }
      let recorded = summary.sum(.recordings, "sessions")
      guard recorded == summary.sessions else {
        throw Problem(what: "recordings has \(recorded) sessions, the line says \(summary.sessions)")
      }
    }

    private mutating func read(
      _ fields: KeyedDecodingContainer<Key>, _ list: SummaryList, _ place: Int
    ) throws {
      var identity: [String] = []
      for (name, _) in list.identity {
        let text = try fields.decode(String.self, forKey: Key(stringValue: name))
        try check(text, "\(list.name).\(name)")
        identity.append(text)
      }
      guard summary.lists[place][identity] == nil else {
        throw Problem(what: "\(list.name) has two rows for \(identity.joined(separator: ", "))")
      }
      var row = SummaryRow(list)
      for (place, field) in list.fields.enumerated() {
        let key = Key(stringValue: field.name)
        guard field.kind == .cells else {
          let number = try fields.decodeIfPresent(UInt64.self, forKey: key)
          guard number ?? 0 <= SessionSummary.most else {
            throw Problem(what: "\(list.name).\(field.name) is larger than \(SessionSummary.most)")
          }
          row.numbers[place] = number
          continue
        }
        guard fields.contains(key) else { continue }
        var cells = try fields.nestedUnkeyedContainer(forKey: key)
        while !cells.isAtEnd {
          var cell = try cells.nestedUnkeyedContainer()
          let (value, count) = (try cell.decode(UInt64.self), try cell.decode(UInt64.self))
          guard cell.isAtEnd, count > 0, max(value, count) <= SessionSummary.most,
            cells.currentIndex <= cellLimit, row.cells[place].updateValue(count, forKey: value) == nil
          else { throw Problem(what: "\(list.name).\(field.name) has a wrong pair [\(value), \(count)]") }
        }
      }
      if list.hasLongest {
        row.longestIn = try fields.decodeIfPresent(String.self, forKey: Key(stringValue: "longest_in"))
        try check(row.longestIn ?? "", "\(list.name).longest_in")
      }
      summary.lists[place][identity] = row
    }

    private func check(_ text: String, _ name: String) throws {
      guard text.utf8.count <= textBytes else {
        throw Problem(what: "\(name) is longer than \(textBytes) bytes")
      }
    }
  }
}
