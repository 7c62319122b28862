import Foundation

/// Timers that work on the main loop: sleeps, so that a busy machine changes as little as it can.
final class Feed {
  private func refresh() { usleep(2000) }

  func start() {
    Timer.scheduledTimer(withTimeInterval: 0.02, repeats: true) { _ in usleep(1000) }.tolerance = 0.002
    Timer.scheduledTimer(withTimeInterval: 0.05, repeats: true) { [self] _ in refresh() }.tolerance = 0.005
    // Two of one name but for its number, and of one interval.
    Timer.scheduledTimer(withTimeInterval: 0.1, repeats: true) { _ in usleep(3000) }.tolerance = 0.01
    Timer.scheduledTimer(withTimeInterval: 0.1, repeats: true) { _ in usleep(6000) }.tolerance = 0.01
  }
}
