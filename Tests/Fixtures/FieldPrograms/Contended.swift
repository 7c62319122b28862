import Foundation

/// A program whose own threads compete for its processor. Runs on one processor show the lack of one.
enum Contended {
  private static let seconds = 4.0
  nonisolated(unsafe) private static var digest: UInt64 = 1

  /// Three threads are busy all the time. Three blocks of the main queue each need 120 ms of a processor. Each prints
  /// the kernel's account of its thread, in nanoseconds: "RAN WAITED".
  static func run(_ arguments: [String]) {
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(seconds * 1e9)
    for _ in 0..<3 {
      Thread.detachNewThread {
        var sum: UInt64 = 1
        while DispatchTime.now().uptimeNanoseconds < end { sum = compute(sum) }
        if sum == 0 { print("never") }
      }
    }
    for turn in 1...3 { DispatchQueue.main.asyncAfter(deadline: .now() + 0.9 * Double(turn)) { update() } }
    _ = Timer.scheduledTimer(withTimeInterval: 0.1, repeats: true) { _ in }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: seconds))
  }

  @inline(never) private static func update() {
    let begin = account()
    let beginNs = threadNs()
    while threadNs() - beginNs < 120_000_000 { digest = compute(digest) }
    let end = account()
    print("\(end.ran - begin.ran) \(end.waited - begin.waited)")
  }

  private static func compute(_ seed: UInt64) -> UInt64 {
    var value = seed
    for _ in 0..<20_000 { value = value &* 6_364_136_223_846_793_005 &+ 1 }
    return value
  }

  private static func threadNs() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Reads the times of this thread: on a processor, and ready without one.
  private static func account() -> (ran: UInt64, waited: UInt64) {
    guard let text = try? String(contentsOfFile: "/proc/thread-self/schedstat", encoding: .utf8) else {
      exit(70)
    }
    let numbers = text.split { $0 == " " || $0 == "\n" }.compactMap { UInt64($0) }
    guard numbers.count >= 2 else { exit(70) }
    return (numbers[0], numbers[1])
  }
}
