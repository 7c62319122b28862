import Foundation

/// `ends HOW`: programs that run a loop for a moment, and then each end in a different way.
enum Ends {
  static let ways: [String: ([String]) -> Void] = [
    "exit": exitWith, "exit-in-timer": exitInTimer, "exit-later": exitLater,
    "crash-outside": crashOutside,
    "crash-in-timer": { _ in crashInTimer() }, "idle": idle, "abort-in-block": abortInBlock,
    "second-thread": secondThread, "forked": forked, "spawned": spawned, "execute": execute,
  ]

  static func run(_ arguments: [String]) {
    guard let way = arguments.first.flatMap({ ways[$0] }) else { exit(64) }
    way(Array(arguments.dropFirst()))
  }

  /// Runs a loop for a moment. No callout is open afterwards.
  private static func runForAMoment() {
    let timer = Timer.scheduledTimer(withTimeInterval: 0.02, repeats: true) { _ in }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.1))
    timer.invalidate()
  }

  private static func exitWith(_ arguments: [String]) {
    runForAMoment()
    exit(arguments.first.flatMap(Int32.init) ?? 0)
  }

  private static func exitInTimer(_ arguments: [String]) {
    _ = Timer.scheduledTimer(withTimeInterval: 0.1, repeats: false) { _ in
      exit(arguments.first.flatMap(Int32.init) ?? 0)
    }
    RunLoop.main.run()
  }

  /// Runs as `idle`, and exits in a callout once there is a file `end`.
  private static func exitLater(_ arguments: [String]) {
    _ = Timer.scheduledTimer(withTimeInterval: 0.02, repeats: true) { _ in
      if FileManager.default.fileExists(atPath: "end") { exit(arguments.first.flatMap(Int32.init) ?? 0) }
    }
    idle([])
  }

  private static func crash() { raise(SIGSEGV) }

  private static func crashOutside(_ arguments: [String]) {
    runForAMoment()
    crash()
  }

  private static func crashInTimer() {
    _ = Timer.scheduledTimer(withTimeInterval: 0.1, repeats: false) { _ in crash() }
    RunLoop.main.run()
  }

  /// Prints a line, and runs until a signal ends the program.
  private static func idle(_ arguments: [String]) {
    _ = Timer.scheduledTimer(withTimeInterval: 3600, repeats: true) { _ in }
    runForAMoment()
    print("idle")
    RunLoop.main.run()
  }

  private static func abortInBlock(_ arguments: [String]) {
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.1) { abort() }
    RunLoop.main.run()
  }

  private static func secondThread(_ arguments: [String]) {
    _ = Timer.scheduledTimer(withTimeInterval: 3600, repeats: true) { _ in }
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 0.2)
      crash()
    }
    RunLoop.main.run()
  }

  /// The child crashes in a callout; its parent exits successfully.
  private static func forked(_ arguments: [String]) {
    typealias Fork = @convention(c) () -> Int32
    let fork = unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)
    let child = fork()
    if child == 0 { crashInTimer() }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    runForAMoment()
    exit(0)
  }

  private static func spawned(_ arguments: [String]) {
    let child = Process()
    child.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    child.arguments = ["ends"] + arguments
    try? child.run()
    child.waitUntilExit()
    exit(0)
  }

  private static func execute(_ arguments: [String]) {
    runForAMoment()
    var words = ([CommandLine.arguments[0], "ends"] + arguments).map { strdup($0) } + [nil]
    execv(CommandLine.arguments[0], &words)
    exit(127)
  }
}
