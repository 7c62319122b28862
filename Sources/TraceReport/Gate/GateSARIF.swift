import Foundation
import TraceAnalysis
import TraceGate

/// What rules found, as SARIF 2.1.0: a result for each rule that is broken (`error`) or undecided (`warning`). An
/// undecided one is of kind `fail`, too: viewers show no other, and the gate did not pass.
public enum GateSARIF {
  public static func encode(_ gate: Gate, file: String, version: String) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let entries = gate.entries
    let results = entries.enumerated().filter { $1.outcome != .pass }.map { number, entry in
      Result(
        ruleId: entry.id, ruleIndex: number, kind: "fail",
        level: entry.outcome == .broken ? "error" : "warning",
        message: Message(
          text: entry.outcome == .broken
            ? "Broken: \(entry.heading), measured \(entry.account)."
            : "Undecided: \(entry.heading): \(entry.account)."),
        locations: [
          Location(physicalLocation: Physical(artifactLocation: Artifact(uri: uri(file)), region: Region()))
        ])
    }
    let driver = Driver(
      name: "rltrace", semanticVersion: version,
      rules: entries.map { entry in
        let text = Message(text: entry.rule)
        return Rule(id: entry.id, shortDescription: text, fullDescription: text, help: help)
      })
    let log = Log(
      schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0",
      runs: [Run(tool: Tool(driver: driver), columnKind: "unicodeCodePoints", results: results)])
    return String(decoding: try encoder.encode(log), as: UTF8.self)
  }

  private static let help = Message(
    text: "The rule is held against a recording of a run loop. rltrace gate --help says what it may measure, "
      + "rltrace report draws the recording.")

  /// A relative reference, or a file's address.
  private static func uri(_ file: String) -> String {
    var allowed = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\u{21}"..."\u{7E}"))
    allowed.insert(charactersIn: "-._~/")
    let path = file.addingPercentEncoding(withAllowedCharacters: allowed) ?? "trace"
    return file.hasPrefix("/") ? "file://" + path : path
  }

  private struct Log: Encodable {
    let schema: String
    let version: String
    let runs: [Run]
    enum CodingKeys: String, CodingKey {
      case schema = "$schema"
      case version, runs
    }
  }

  private struct Run: Encodable {
    let tool: Tool
    let columnKind: String
    let results: [Result]
  }

  private struct Tool: Encodable { let driver: Driver }

  private struct Driver: Encodable {
    let name: String
    let semanticVersion: String
    let rules: [Rule]
  }

  private struct Rule: Encodable {
    let id: String
    let shortDescription: Message
    let fullDescription: Message
    let help: Message
  }

  private struct Result: Encodable {
    let ruleId: String
    let ruleIndex: Int
    let kind: String
    let level: String
    let message: Message
    let locations: [Location]
  }

  private struct Message: Encodable { let text: String }
  private struct Location: Encodable { let physicalLocation: Physical }
  private struct Physical: Encodable {
    let artifactLocation: Artifact
    let region: Region
  }

  private struct Artifact: Encodable { let uri: String }

  /// The beginning of the file: viewers of code want a place in it.
  private struct Region: Encodable { let startLine = 1, startColumn = 1, endLine = 1, endColumn = 1 }
}
