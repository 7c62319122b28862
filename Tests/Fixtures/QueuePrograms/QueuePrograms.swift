// Programs with an async main. They are recorded unmodified: no run loop runs in them.
import Dispatch
import Foundation

@main struct QueuePrograms {
  static func main() async {
    setvbuf(stdout, nil, _IOLBF, 0)
    switch CommandLine.arguments.dropFirst().first {
    case "jobs": await jobs()
    case "hang": await hang()
    case "server": await Server().serveOwnClient()
    case "idle": await idle()
    case "start": await start(Array(CommandLine.arguments.dropFirst(2)))
    case "tasks": await Tasks.graph()
    case "blocked": await Tasks.blockedPool()
    case "lost": await Tasks.lostContinuation()
    case "stuck": await Tasks.stuck()
    case "blocks": Tasks.blocks()
    case "handlers": Tasks.handlers()
    case "loops": Tasks.loops()
    default:
      print("programs: jobs hang server idle start tasks blocked lost stuck blocks handlers loops")
      exit(64)
    }
  }

  /// Jobs of the main actor, from other threads.
  private static func jobs() async {
    await step()
    for number in 0..<10 { await Task.detached { await report(number) }.value }
    await print("reports \(reports)")
  }

  @MainActor private static var reports = 0

  @MainActor private static func report(_ number: Int) { reports += 1 }

  /// A long computation in a job and a long wait in a job both delay other jobs.
  private static func hang() async {
    await step()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await decode() }
      group.addTask { await report(1) }
    }
    await step()
    await load()
    await print("reports \(reports)")
  }

  @MainActor private static func decode() { compute(milliseconds: 600) }

  @inline(never) private static func compute(milliseconds: Double) {
    let end = ProcessInfo.processInfo.systemUptime + milliseconds / 1000
    var sum = 0.0
    while ProcessInfo.processInfo.systemUptime < end { for i in 1..<1000 { sum += 1 / Double(i) } }
    if sum < 0 { print(sum) }
  }

  @MainActor private static func load() { waitForReply() }

  @inline(never) private static func waitForReply() {
    let reply = DispatchSemaphore(value: 0)
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.5) { reply.signal() }
    reply.wait()
  }

  /// Nothing comes back to the main queue.
  private static func idle() async {
    await Task.detached {
      try? await Task.sleep(nanoseconds: 50_000_000)
      print("end")
      exit(4)
    }.value
  }

  /// Runs a program, as tools with an async main do.
  private static func start(_ command: [String]) async {
    await step()
    await report(0)
    await Task.detached { run(command) }.value
    await print("reports \(reports)")
  }

  /// Foundation's Process would run a loop.
  private static func run(_ command: [String]) {
    var process: pid_t = 0
    var arguments = command.map { strdup($0) } + [nil]
    guard posix_spawn(&process, command[0], nil, nil, &arguments, environ) == 0 else {
      fatalError("not started")
    }
    waitpid(process, nil, 0)
  }

  /// Leaves the main thread, which ends when the async main first suspends.
  private static func step() async { try? await Task.sleep(nanoseconds: 10_000_000) }
}
