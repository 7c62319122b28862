import Foundation
import ReportWriting
import TraceAnalysis
import TraceGate
import TraceTables

/// Writes the results of a gate as SARIF 2.1.0, with a result for each broken rule (`error`) or undecided rule
/// (`warning`). An undecided rule also has the kind `fail`, because viewers show no other kind and the gate did not
/// pass. The location is the line of the code behind a broken rule, or else the trace.
package enum GateSARIF {
  package static func encode(
    _ gate: Gate, file: String, root: SourceRoot, version: String
  ) throws -> String {
    let entries = gate.entries
    let results = entries.enumerated().filter { $1.outcome != .pass }.map { number, entry in
      Value.known([
        "ruleId": entry.id, "ruleIndex": number, "kind": "fail",
        "level": entry.outcome == .broken ? "error" : "warning",
        "message": message(
          entry.outcome == .broken
            ? "Broken: \(entry.heading), measured \(entry.account)."
            : "Undecided: \(entry.heading): \(entry.account)."),
        "locations": [location(root.place(of: entry.code), file)],
      ])
    }
    let rules = entries.map { entry in
      Value.known([
        "id": entry.id, "shortDescription": message(entry.rule), "fullDescription": message(entry.rule),
        "help": help,
      ])
    }
    let driver = Value.known(["name": "rltrace", "semanticVersion": version, "rules": rules])
    let run = Value.known([
      "tool": Value.known(["driver": driver]), "columnKind": "unicodeCodePoints", "results": results,
    ])
    return JSONText.pretty(
      .known([
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run],
      ]))
  }

  private static func message(_ text: String) -> Value { .known(["text": text]) }

  /// Returns the place, or the beginning of the file, because viewers require a place in a file.
  private static func location(_ place: SourcePlace?, _ file: String) -> Value {
    let region =
      place.map { Value.known(["startLine": $0.line]) }
      ?? .known(["startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1])
    return .known([
      "physicalLocation": Value.known([
        "artifactLocation": Value.known(["uri": uri(place?.path ?? file)]), "region": region,
      ])
    ])
  }

  private static let help = message(Hint.aboutGate)

  /// Returns a relative reference, or a file URL for an absolute path.
  private static func uri(_ file: String) -> String {
    var allowed = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\u{21}"..."\u{7E}"))
    allowed.insert(charactersIn: "-._~/")
    let path = file.addingPercentEncoding(withAllowedCharacters: allowed) ?? "trace"
    return file.hasPrefix("/") ? "file://" + path : path
  }
}
