import TraceAnalysis
import TraceFormat

/// The places where a column is shown.
package enum ColumnForm: Sendable {
  case everywhere
  /// Documents only. A table row holds one value for each column, so lists and values keyed by name are in documents
  /// only.
  case document
  /// Tables only: the first element of a list.
  case table
  /// Used only to compare two traces.
  case comparison
  /// Tables for people only, computed from other columns.
  case people
}

/// A column without the type of its rows. It holds everything about a column that does not depend on that type, so
/// that the compiler does not repeat this code for each of them.
package struct AnyColumn: Sendable {
  /// The key. In a table, the key of a part is its path: `lateness_ns.p99`.
  var name: String
  var about: String
  var form: ColumnForm
  /// Whether documents leave out the key where the value is unknown.
  var mayBeAbsent = false
  let kind: ValueKind
  let value: @Sendable (AnyRow) -> Value
  /// The parts of a group; empty for a single value.
  let parts: [AnyColumn]
  /// The path below the key of a row in documents; nil = documents do not contain it.
  var key: String?
  /// The data that the recording must hold for the column to be known.
  var needs: Capture?
  var people: ColumnForPeople
  var comparison: ColumnForComparison
  var gate = ColumnForGate()

  // If inlined, this would be the largest part of each declaration.
  @inline(never)
  init(
    _ name: String, _ about: String, in form: ColumnForm = .everywhere, _ kind: ValueKind,
    parts: [AnyColumn] = [], _ value: @escaping @Sendable (AnyRow) -> Value
  ) {
    self.name = name
    self.about = about
    self.form = form
    self.kind = kind
    self.parts = parts
    self.value = value
    key = form == .everywhere || form == .document ? name : nil
    comparison = ColumnForComparison(measure: Measure(name))
    people = ColumnForPeople(unit: name.hasSuffix("_ns") ? .time : kind.isOfWords ? .words : .count)
  }

  /// A group of columns under one name. If no part is known, the whole group is null.
  init(group name: String, in form: ColumnForm, _ parts: [AnyColumn]) {
    let kind = ValueKind.object { parts.schema("") }
    self.init(name, "", in: form, parts.allSatisfy(\.kind.isNullable) ? kind.optional : kind, parts: parts) {
      row in
      let object = parts.object(row)
      return object.values.contains { $0 != .unknown } ? .object(object) : .unknown
    }
  }

  @inline(never)
  func with(_ change: (inout AnyColumn) -> Void) -> AnyColumn {
    var column = self
    change(&column)
    return column
  }

  /// Puts the column under the name of its parent.
  private func below(_ name: String, at key: String?) -> AnyColumn {
    with {
      $0.name = "\(name).\(self.name)"
      $0.key = key.map { "\($0).\(self.name)" }
    }
  }

  func columnOfFirst(in list: String) -> AnyColumn {
    below("\(list).0", at: "\(list)[0]").with { $0.form = .table }
  }

  func needing(_ capture: Capture) -> AnyColumn {
    with {
      $0.needs = capture
      $0.about += "\($0.about.isEmpty ? "" : "; ")needs \(capture.words)"
    }
  }

  var cells: [AnyColumn] { parts.isEmpty ? [self] : parts.map { $0.below(name, at: key) } }

  func cell(_ name: String) -> AnyColumn {
    (parts.first { $0.name == name } ?? self).below(self.name, at: key).with { $0.form = .people }
  }

  func cells(for readers: Heading.Readers) -> [AnyColumn] {
    guard let heading = people.heading, heading.readers.contains(readers) else { return [] }
    guard !parts.isEmpty else { return [self] }
    return cells.compactMap { cell in
      guard var ofPart = cell.people.heading, ofPart.readers.contains(readers) else { return nil }
      ofPart.title = [ofPart.title, heading.title].filter { !$0.isEmpty }.joined(separator: " ")
      ofPart.place = heading.place
      return cell.with { $0.people.heading = ofPart }
    }
  }

  /// Returns a column that reads this column from a part of its rows. `part` passes the row's part to its second
  /// argument, and does not call that if the row has no part.
  func reading(
    isOptional: Bool, _ part: @escaping @Sendable (AnyRow, (AnyRow) -> Void) -> Void
  ) -> AnyColumn {
    let (value, people) = (value, people)
    var column = AnyColumn(
      name, about, in: form, isOptional ? kind.optional : kind,
      parts: parts.map { $0.reading(isOptional: isOptional, part) }
    ) { row in
      var found = Value.unknown
      part(row) { found = value($0) }
      return found
    }
    column.key = key
    column.mayBeAbsent = mayBeAbsent
    column.comparison.measure = comparison.measure
    column.people.heading = people.heading
    column.people.unit = people.unit
    if let length = people.length {
      column.people.length = { row in
        var found: UInt64 = 0
        part(row) { found = length($0) }
        return found
      }
    }
    if let replacement = people.replacement {
      column.people.replacement = { row in
        var found: Shown?
        part(row) { found = replacement($0) }
        return found
      }
    }
    return column
  }

  var schema: Value {
    guard case .object(var schema) = kind.schema, !about.isEmpty else { return kind.schema }
    schema["description"] = .text(about)
    return .object(schema)
  }
}

extension [AnyColumn] {
  @inline(never)
  init(joining parts: [[AnyColumn]]) { self = parts.flatMap { $0 } }

  /// Returns a row as an object.
  func object(_ row: AnyRow) -> [String: Value] {
    var object: [String: Value] = [:]
    for column in self where object[column.name] == nil {
      let value = column.value(row)
      if case .unknown = value, column.mayBeAbsent { continue }
      object[column.name] = value
    }
    return object
  }

  /// Returns the JSON Schema of each object.
  func schema(_ about: String) -> Value {
    .object([
      "type": .text("object"), "description": .text(about), "additionalProperties": .truth(false),
      "required": .list(filter { !$0.mayBeAbsent }.map { .text($0.name) }),
      "properties": .object(Dictionary(map { ($0.name, $0.schema) }) { first, _ in first }),
    ])
  }
}
