import Foundation

/// A program that a test runs in the way a user does.
package struct Program: Sendable {
  /// The exit status and the output of a finished program.
  package struct Result: Sendable {
    package let status: Int32
    package let output: String
    package let errors: String
    package var errorLines: [Substring] { errors.split(separator: "\n") }
  }

  package let path: String
  private let firstArguments: [String]

  /// A product of this package by name, from the folder of the built tests.
  package init(_ name: String) {
    let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    path = tests.deletingLastPathComponent().appendingPathComponent(name).path
    firstArguments = []
  }

  /// A line of bash. The arguments of `run` are $0, $1 …
  package init(shell line: String) {
    path = "/bin/bash"
    firstArguments = ["-c", line]
  }

  package static let rltrace = Program("rltrace")
  /// Foundation programs without any reference to this project.
  package static let loopPrograms = Program("loop-programs")

  /// Programs with an async main.
  package static let queuePrograms = Program("queue-programs")

  /// The program at a path.
  package init(path: String) {
    self.path = path
    firstArguments = []
  }

  /// Returns the arguments that `run` passes to the program.
  package func allArguments(_ arguments: [String]) -> [String] { firstArguments + arguments }

  /// Runs the program to its end. `input` is its standard input, empty by default.
  package func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:], folder: String? = nil
  ) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = firstArguments + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    // Files instead of pipes: a full pipe blocks the program until the test reads it.
    let scratch = try TemporaryFolder()
    for (name, content) in [("in", input), ("out", ""), ("err", "")] {
      try content.write(toFile: scratch.file(name), atomically: false, encoding: .utf8)
    }
    process.standardInput = FileHandle(forReadingAtPath: scratch.file("in"))
    process.standardOutput = FileHandle(forWritingAtPath: scratch.file("out"))
    process.standardError = FileHandle(forWritingAtPath: scratch.file("err"))
    try Program.withoutBlockedSignals { try process.run() }
    process.waitUntilExit()
    func text(_ name: String) throws -> String {
      String(decoding: try Data(contentsOf: URL(fileURLWithPath: scratch.file(name))), as: UTF8.self)
    }
    return Result(status: process.terminationStatus, output: try text("out"), errors: try text("err"))
  }

  /// Programs inherit the signal mask of the calling thread, and the threads of tests block most signals.
  private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
    var none = sigset_t()
    var blocked = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &blocked)
    defer { pthread_sigmask(SIG_SETMASK, &blocked, nil) }
    try body()
  }
}
