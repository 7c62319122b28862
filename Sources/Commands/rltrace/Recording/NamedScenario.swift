import Foundation
import Scenario
import TraceAnalysis

/// Loads a scenario of the library by name, or one from a file by path.
enum NamedScenario {
  /// Returns the file that a name refers to; nil for a scenario of the library, and for a name that is neither.
  static func file(_ name: String) -> String? {
    ScenarioLibrary.text(name) == nil && TextFile.isPath(name) ? name : nil
  }

  static func load(_ name: String) throws(Failure) -> Scenario {
    let known = ScenarioLibrary.text(name)
    guard known != nil || TextFile.isPath(name) else { throw unknown(name) }
    return try TextFile.load(name, text: known, ScenarioReader.read)
  }

  /// Returns the scenario's name as a valid file name in the current folder.
  static func fileName(of scenario: Scenario) -> String {
    let name = harmless(scenario.name, limit: 80).replacingOccurrences(of: "/", with: "-")
    let visible = name.drop { $0 == "." || $0 == "-" }
    return visible.isEmpty ? "scenario" : String(visible)
  }

  static func unknown(_ name: String) -> Failure {
    TextFile.unknown("scenario", name, known: ScenarioLibrary.names)
  }
}
