import Foundation

/// Timers that sleep on the main loop, and are never due at the same moment, so other work on the machine hardly
/// changes their times.
final class Feed {
  private let start: Date

  init(start: Date) { self.start = start }

  private func refresh() { usleep(2000) }

  private func add(_ interval: TimeInterval, after first: TimeInterval, _ work: @escaping () -> Void) {
    let timer = Timer(fire: start + first, interval: interval, repeats: true) { _ in work() }
    RunLoop.main.add(timer, forMode: .common)
  }

  func go() {
    add(0.02, after: 0.003) { usleep(1000) }
    add(0.05, after: 0.008) { [self] in refresh() }
    // Two timers with the same interval, whose names differ only in their numbers.
    let slow = Timer(fire: start + 0.0125, interval: 0.1, repeats: true) { _ in usleep(3000) }
    let slower = Timer(fire: start + 0.0265, interval: 0.1, repeats: true) { _ in usleep(6000) }
    for timer in [slow, slower] { RunLoop.main.add(timer, forMode: .common) }
  }
}
