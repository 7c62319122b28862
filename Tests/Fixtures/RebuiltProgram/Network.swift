import Foundation

/// Work that comes to the main queue, and one block of it that hangs the loop.
enum Network {
  static func listen() {
    for number in 1...10 {
      DispatchQueue.main.asyncAfter(deadline: .now() + 0.15 * Double(number)) { usleep(4000) }
    }
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.7) { hang() }
  }

  private static func hang() { usleep(400_000) }
}
