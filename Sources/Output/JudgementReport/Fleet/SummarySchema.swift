import ReportWriting
import TraceFleet
import TraceTables

/// The JSON Schema of a line of `rltrace summarize`. Each field of a list says in `x-merge` how two summaries become one: by
/// `identity`, `sum`, `longest` or `cells`. Other implementations of the merge, such as tools/fleet/fleet.py, follow it.
package enum SummarySchema {
  package static func text() -> String {
    var properties: [String: Value] = [
      "schema": .object(["const": .text(SessionSummary.schema)]),
      "id": string("identity of the trace; absent in merged summaries"),
      "sessions": integer("number of recordings", "sum"),
      "keys": .object([
        "type": .text("object"), "description": .text("what distinguishes recordings: build, os, device …"),
        "additionalProperties": .object(["type": .text("string")]), "x-merge": .text("identity"),
      ]),
    ]
    for list in SummaryList.all { properties[list.name] = array(list) }
    return JSONText.pretty(
      .object([
        "$schema": .text("https://json-schema.org/draft/2020-12/schema"),
        "title": .text(SessionSummary.schema),
        "description": .text("numbers of one recording, or of many merged ones"), "type": .text("object"),
        "properties": .object(properties),
        "required": .list(
          (["schema", "sessions", "keys"] + SummaryList.all.filter { !$0.isOptional }.map(\.name))
            .map { .text($0) }),
      ])) + "\n"
  }

  private static func array(_ list: SummaryList) -> Value {
    var fields: [String: Value] = [:]
    for (name, meaning) in list.identity {
      fields[name] = .object([
        "type": .text("string"), "description": .text(meaning), "x-merge": .text("identity"),
      ])
    }
    for field in list.fields {
      switch field.kind {
      case .sum: fields[field.name] = integer(field.meaning, "sum")
      case .longest:
        fields[field.name] = integer(field.meaning, "longest")
        fields["longest_in"] = .object([
          "type": .text("string"),
          "description": .text("session or file of \(field.name); among equal values, the first by name"),
          "x-merge": .text("longest_in"),
        ])
      case .cells:
        fields[field.name] = .object([
          "type": .text("array"),
          "description": .text(field.meaning + ": pairs [value, count], ordered by value"),
          "items": .object([
            "type": .text("array"), "items": .object(["type": .text("integer"), "minimum": .integer(0)]),
            "minItems": .integer(2), "maxItems": .integer(2),
          ]), "x-merge": .text("cells"),
        ])
      }
    }
    return .object([
      "type": .text("array"), "description": .text(list.meaning),
      "items": .object([
        "type": .text("object"), "properties": .object(fields),
        "required": .list(list.identity.map { .text($0.name) }),
      ]),
    ])
  }

  private static func string(_ about: String) -> Value {
    .object(["type": .text("string"), "description": .text(about)])
  }

  private static func integer(_ about: String, _ merge: String) -> Value {
    .object([
      "type": .text("integer"), "minimum": .integer(0), "description": .text(about), "x-merge": .text(merge),
    ])
  }
}
