import Foundation

/// Work that reaches the main queue between the timers, including one block that hangs the loop.
enum Network {
  static func listen(start: Date) {
    for delay in [0.185, 0.335, 0.485, 0.635, 1.335, 1.485, 1.635, 1.785] {
      DispatchQueue.main.asyncAfter(deadline: .now() + start.timeIntervalSinceNow + delay) { usleep(4000) }
    }
    DispatchQueue.main.asyncAfter(deadline: .now() + start.timeIntervalSinceNow + 0.7455) { hang() }
  }

  private static func hang() { usleep(350_000) }
}
