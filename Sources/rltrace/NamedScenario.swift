import Foundation
import Scenario

/// A scenario of the library by its name, or of a file by its path.
enum NamedScenario {
  static func load(_ name: String) throws(Failure) -> Scenario {
    let text: String
    if let known = ScenarioLibrary.text(name) {
      text = known
    } else if name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
      text = try read(name)
    } else {
      throw unknown(name)
    }
    do throws(ScenarioError) {
      return try ScenarioReader.read(text)
    } catch {
      let place = error.line > 0 ? "\(name):\(error.line)" : name
      throw Failure(status: .badData, message: "\(place): \(error.what)")
    }
  }

  static func unknown(_ name: String) -> Failure {
    Failure(
      status: .usage,
      message:
        "unknown scenario '\(name)'; there is: \(ScenarioLibrary.names.joined(separator: ", ")); a file's name "
        + "ends in .yaml")
  }

  private static func read(_ path: String) throws(Failure) -> String {
    guard let file = fopen(path, "r") else {
      throw Failure(status: .noInput, message: "\(path): cannot open: \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    // One byte more than a scenario may have: the reader says so.
    var bytes = [UInt8](repeating: 0, count: ScenarioReader.byteLimit + 1)
    let count = fread(&bytes, 1, bytes.count, file)
    guard ferror(file) == 0 else {
      throw Failure(status: .ioError, message: "\(path): cannot read: \(String(cString: strerror(errno)))")
    }
    guard let text = String(validating: bytes[..<count], as: UTF8.self) else {
      throw Failure(status: .badData, message: "\(path): not UTF-8 text")
    }
    return text
  }
}
