import Foundation

/// A timer whose callout waits for a reply by running the loop, as Process.waitUntilExit does.
enum Nested {
  nonisolated(unsafe) private static var fires = 0

  static func run(_ arguments: [String]) {
    let timer = Timer.scheduledTimer(withTimeInterval: 0.02, repeats: true) { _ in tick() }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 1))
    timer.invalidate()
    print("fires \(fires)")
  }

  @inline(never)
  private static func tick() {
    fires += 1
    if fires % 5 == 0 { waitForReply() }
  }

  @inline(never)
  private static func waitForReply() {
    let end = Date(timeIntervalSinceNow: 0.15)
    while Date() < end { _ = RunLoop.main.run(mode: .default, before: end) }
  }
}
