import Mustache
import TraceAnalysis
import TraceTables

/// A cell of a table in the report: three digits to read, the exact number behind them, and the key of
/// `analyze --format json` that it stands under.
struct Cell: MustacheParent {
  /// Names longer than this are cut in a table; the script shows the whole.
  static let nameLimit = 64

  var text: String
  var key: String?
  /// Exact, for sorting and comparing.
  var ns: UInt64?
  var value: String?
  var title: String?
  /// Part of the time line that it leads to, `from-to` in nanoseconds.
  var span: String?
  /// Number of the whole name in the script's list.
  var whole: Int?
  var isName = false
  var isHead = false

  static func text(_ text: String, _ key: String? = nil) -> Cell { Cell(text: text, key: key) }

  static func ns(_ ns: UInt64, _ key: String? = nil) -> Cell {
    Cell(text: Units.duration(ns), key: key, ns: ns, title: "\(grouped(ns)) ns")
  }

  static func count(_ count: UInt64, _ key: String? = nil) -> Cell {
    Cell(text: grouped(count), key: key, value: "\(count)")
  }

  static func share(_ share: Double, _ key: String?) -> Cell {
    let rounded = fourDigits(share)
    // As JSON has it: 1, not 1.0.
    let value = rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    return Cell(text: "\(Units.significant(share * 100)) %", key: key, value: value)
  }

  /// A moment, with the part of the time line around it.
  static func moment(_ start: UInt64, length: UInt64, _ key: String?) -> Cell {
    Cell(
      text: Units.moment(start), key: key, ns: start, title: "\(grouped(start)) ns",
      span: "\(start)-\(start &+ max(length, 1))")
  }

  static func none(_ key: String?) -> Cell {
    Cell(text: "–", key: key, value: "", title: "not known, or of nothing")
  }

  static func name(_ name: String, _ names: inout NameList, isHead: Bool) -> Cell {
    let isLong = name.unicodeScalars.count > nameLimit
    return Cell(
      text: isLong ? String(String.UnicodeScalarView(name.unicodeScalars.prefix(nameLimit - 1))) + "…" : name,
      whole: isLong ? names.number(of: name) : nil, isName: true, isHead: isHead)
  }

  func child(named name: String) -> Any? {
    switch name {
    case "text": text
    case "key": section(key)
    case "ns": section(ns)
    case "value": section(value)
    case "title": section(title)
    case "span": section(span)
    case "whole": section(whole)
    case "isName": isName
    case "isHead": isHead
    case "isNumber": ns != nil || value != nil
    default: nil
    }
  }

  static func grouped(_ value: UInt64) -> String {
    let digits = String(value)
    var out = ""
    for (place, digit) in digits.enumerated() {
      // A thin space that does not break the line.
      if place > 0, (digits.count - place) % 3 == 0 { out += "\u{202F}" }
      out.append(digit)
    }
    return out
  }
}

/// What a template finds under a name that may have no value. Not nil: then it would look in what encloses this, which costs more
/// than the rest of a table.
private func section(_ value: (some CustomStringConvertible)?) -> Any {
  value.map { ["is": $0.description] as Any } ?? false
}

/// A table of the report.
struct Table: MustacheParent {
  let id: String
  let caption: String
  private let headings: [[String: Any]]
  private var rows: [[String: Any]] = []
  /// What is not in it.
  var rest: String?

  init<Row>(_ id: String, _ caption: String, _ columns: [Column<Row>]) {
    self.id = id
    self.caption = caption
    headings = columns.map {
      ["title": $0.heading?.title ?? "", "tip": $0.heading?.tip ?? "", "isNumber": !$0.isOfWords]
    }
  }

  /// Without rows, and nothing is left out of it.
  var isEmpty: Bool { rows.isEmpty && rest == nil }
  /// What it is, without what more the caption says of it.
  var title: String { caption.prefix { $0 != ":" }.lowercased() }

  mutating func add(_ cells: [Cell]) { rows.append(["cells": cells]) }

  func child(named name: String) -> Any? {
    switch name {
    case "id": id
    case "caption": caption
    case "headings": headings
    case "rows": rows
    case "isLong": rows.count > 12
    case "rest": section(rest)
    default: nil
    }
  }
}
