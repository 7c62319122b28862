import Foundation

/// The sample traces of the project.
package enum SampleTraces {
  /// The paths below SampleTraces, sorted.
  package static let all: [String] = {
    let folder = ProjectFiles.root.appendingPathComponent("SampleTraces").path
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return files.filter { $0.hasSuffix(".rltrace") }.sorted()
  }()

  /// The traces with realistic times.
  package static let analyzable = all.filter { $0 != "frozen/1.0/sample-none.rltrace" }

  package static func path(_ name: String) -> String {
    ProjectFiles.root.appendingPathComponent("SampleTraces/\(name)").path
  }

  /// Returns the path of a library scenario's trace in virtual time.
  package static func virtual(_ scenario: String) -> String { path("virtual/\(scenario).rltrace") }

  package static func bytes(virtual scenario: String) throws -> [UInt8] {
    try ProjectFiles.bytes("SampleTraces/virtual/\(scenario).rltrace")
  }
}
