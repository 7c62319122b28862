import Foundation

// A player shows one picture after the other.

final class Player {
  private let pictures = ["a", "b", "c"]
  private var next = 0

  func step() {
    let picture = pictures[next]
    next += 1
    #if FIXED
    if next == pictures.count { next = 0 }
    #endif
    print(picture)
  }
}

let player = Player()
_ = Timer.scheduledTimer(withTimeInterval: 0.2, repeats: true) { _ in player.step() }
RunLoop.main.run(until: Date(timeIntervalSinceNow: 2))
