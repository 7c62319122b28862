import CheckedYAML
import Scenario

/// A scenario of the library by its name, or of a file by its path.
enum NamedScenario {
  static func load(_ name: String) throws(Failure) -> Scenario {
    let text: String
    if let known = ScenarioLibrary.text(name) {
      text = known
    } else if TextFile.isPath(name) {
      text = try TextFile.read(name)
    } else {
      throw unknown(name)
    }
    do throws(TextFileError) {
      return try ScenarioReader.read(text)
    } catch {
      throw TextFile.failure(name, error)
    }
  }

  static func unknown(_ name: String) -> Failure {
    Failure(
      status: .usage,
      message:
        "unknown scenario '\(name)'; there is: \(ScenarioLibrary.names.joined(separator: ", ")); a file's name "
        + "ends in .yaml")
  }
}
