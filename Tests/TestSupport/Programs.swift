import Foundation

/// Programs of this package, run as a user runs them.
public struct Program: Sendable {
  /// What a finished program left.
  public struct Result: Sendable {
    public let status: Int32
    public let output: String
    public let errors: String
    public var errorLines: [Substring] { errors.split(separator: "\n") }
  }

  public let path: String
  private let firstArguments: [String]

  /// A product by name, from the folder where the tests were built.
  public init(_ name: String) {
    let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    path = tests.deletingLastPathComponent().appendingPathComponent(name).path
    firstArguments = []
  }

  /// A line of bash; the arguments of `run` are $0, $1 …
  public init(shell line: String) {
    path = "/bin/bash"
    firstArguments = ["-c", line]
  }

  public static let rltrace = Program("rltrace")
  /// Foundation programs that know nothing of this project.
  public static let loopPrograms = Program("loop-programs")

  /// Programs with an async main.
  public static let queuePrograms = Program("queue-programs")

  /// A program by its path.
  public init(path: String) {
    self.path = path
    firstArguments = []
  }

  /// What `run` gives the program.
  public func allArguments(_ arguments: [String]) -> [String] { firstArguments + arguments }

  /// Runs to the end. `input` is the program's standard input, empty by default.
  public func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:], folder: String? = nil
  ) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = firstArguments + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    // Files, not pipes: a pipe that nobody reads in time blocks the program.
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

  /// Programs inherit the signals that the calling thread blocks, and the threads of tests block most of them.
  private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
    var none = sigset_t()
    var blocked = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &blocked)
    defer { pthread_sigmask(SIG_SETMASK, &blocked, nil) }
    try body()
  }
}
