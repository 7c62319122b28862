import Scenario

/// A scenario of the library by its name, or of a file by its path.
enum NamedScenario {
  static func load(_ name: String) throws(Failure) -> Scenario {
    let known = ScenarioLibrary.text(name)
    guard known != nil || TextFile.isPath(name) else { throw unknown(name) }
    return try TextFile.load(name, text: known, ScenarioReader.read)
  }

  static func unknown(_ name: String) -> Failure {
    TextFile.unknown("scenario", name, known: ScenarioLibrary.names)
  }
}
