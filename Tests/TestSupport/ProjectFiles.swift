import Foundation

/// Files of the project that tests read. Their folder follows from the path of this file at compile time.
package enum ProjectFiles {
  package static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  package static func text(_ path: String) throws -> String {
    String(decoding: try bytes(path), as: UTF8.self)
  }

  package static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: root.appendingPathComponent(path)))
  }

  /// Returns the text form of a trace in Tests/Golden.
  package static func golden(_ name: String) throws -> String { try text("Tests/Golden/\(name).rltext") }

  /// The names of all traces in Tests/Golden.
  package static let goldenNames: [String] = {
    let folder = root.appendingPathComponent("Tests/Golden").path
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.filter { $0.hasSuffix(".rltext") }.map { String($0.dropLast(7)) }.sorted()
  }()
}
