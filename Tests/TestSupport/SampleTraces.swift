import Foundation

/// The traces that come with the project.
public enum SampleTraces {
  /// Paths below SampleTraces, sorted.
  public static let all: [String] = {
    let folder = ProjectFiles.root.appendingPathComponent("SampleTraces").path
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return files.filter { $0.hasSuffix(".rltrace") }.sorted()
  }()

  /// Those with times that a program may live to see.
  public static let analyzable = all.filter { $0 != "frozen/1.0/sample-none.rltrace" }

  public static func path(_ name: String) -> String {
    ProjectFiles.root.appendingPathComponent("SampleTraces/\(name)").path
  }

  /// Of a scenario of the library, in virtual time.
  public static func virtual(_ scenario: String) -> String { path("virtual/\(scenario).rltrace") }

  public static func bytes(virtual scenario: String) throws -> [UInt8] {
    try ProjectFiles.bytes("SampleTraces/virtual/\(scenario).rltrace")
  }
}
