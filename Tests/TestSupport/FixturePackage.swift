/// A package in Tests/Fixtures that depends on others, as a user's does. It is built in .build.
package struct FixturePackage: Sendable {
  package struct BuildError: Error {
    /// The end of the output.
    package let output: String
  }

  private let place: [String]
  private let scratch: String

  package init(_ name: String) {
    scratch = ProjectFiles.root.path + "/.build/" + name
    place = ["--package-path", ProjectFiles.root.path + "/Tests/Fixtures/" + name, "--scratch-path", scratch]
  }

  /// Whether the packages that it needs can be fetched, or were fetched before.
  package var canFetch: Bool { (try? swift(["package", "resolve"] + place).status) == 0 }

  /// The options of commands that build. Long runs make the debug build of a user. In others, Swift is not optimized
  /// either, but modules are compiled as a whole, which takes about half as long. C is optimized.
  package var options: [String] {
    TestRounds.isLong ? place : place + ["-c", "release", "-Xswiftc", "-Onone"]
  }

  package func build(_ more: String...) throws {
    let built = try swift(["build"] + more + options)
    if built.status != 0 { throw BuildError(output: String(built.output.suffix(4000))) }
  }

  /// The path of a program that `build` makes.
  package func product(_ name: String) -> String {
    "\(scratch)/\(TestRounds.isLong ? "debug" : "release")/\(name)"
  }

  /// Runs `swift` with both outputs in one.
  package func swift(_ arguments: [String]) throws -> Program.Result {
    try Program(shell: "exec swift \"$0\" \"$@\" 2>&1").run(arguments)
  }
}
