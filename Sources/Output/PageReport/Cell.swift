import Mustache
import TraceAnalysis
import TraceTables

/// A cell of a table in the report: a value with three digits, the exact number behind it, and its key in `analyze
/// --format json`.
struct Cell: MustacheParent {
  /// The length from which a table cuts names; the script shows the whole name.
  static let nameLimit = 64

  var text: String
  var key: String?
  /// The exact value, for sorting and comparing.
  var ns: UInt64?
  var value: String?
  var title: String?
  /// The part of the timeline to which the cell links, `from-to` in nanoseconds.
  var span: String?
  /// The index of the whole name in the script's list.
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
    // JSON writes 1, not 1.0.
    let value = rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    return Cell(text: "\(Units.significant(share * 100)) %", key: key, value: value)
  }

  /// Returns a cell with a moment that links to the part of the timeline around it.
  static func moment(_ start: UInt64, length: UInt64, _ key: String?) -> Cell {
    Cell(
      text: Units.moment(start), key: key, ns: start, title: "\(grouped(start)) ns",
      span: "\(start)-\(start &+ max(length, 1))")
  }

  static func none(_ key: String?) -> Cell {
    Cell(text: "–", key: key, value: "", title: "unknown, or there is no value")
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

/// Returns a value for a template, or false if there is none. With nil, the template engine would search the
/// enclosing contexts, which costs more than the rest of a table.
private func section(_ value: (some CustomStringConvertible)?) -> Any {
  value.map { ["is": $0.description] as Any } ?? false
}

/// A table of the report.
struct Table: MustacheParent {
  let id: String
  let caption: String
  private let headings: [[String: Any]]
  private var rows: [[String: Any]] = []
  /// A note on the rows that the table omits.
  var rest: String?

  init(_ id: String, _ caption: String, _ columns: [ShownColumn]) {
    self.id = id
    self.caption = caption
    headings = columns.map { ["title": $0.title, "tip": $0.tip, "isNumber": !$0.isOfWords] }
  }

  /// Whether the table has no rows and omits none.
  var isEmpty: Bool { rows.isEmpty && rest == nil }
  /// The caption without its explanation.
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
