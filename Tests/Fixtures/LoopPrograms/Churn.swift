import Foundation

/// Constant work on three threads that sampling might disturb: memory, locks, errors, the loader, children, and jobs
/// of the main actor.
enum Churn {
  private static let rounds = Rounds()

  /// Runs COUNT rounds on the main loop, alternately in a timer and on the main actor. Prints the results.
  static func run(_ arguments: [String]) {
    let count = Int(arguments.first ?? "") ?? 100
    for number in 1...2 { Thread.detachNewThread { besides(number) } }
    nonisolated(unsafe) var begun = 0
    let timer = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: true) { timer in
      guard begun < count else { return timer.invalidate() }
      round(begun)
      let next = begun + 1
      Task { @MainActor in if next < count { round(next) } }
      begun += 2
    }
    while rounds.done < count {
      _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
    }
    timer.invalidate()
    rounds.end()
    print("rounds \(rounds.done) sum \(rounds.sum) wrong \(rounds.wrong)")
  }

  private static func besides(_ thread: Int) {
    var number = thread
    while !rounds.areOver {
      if piece(number) != expected(number) { rounds.addWrong() }
      if number % 64 == 0, !childEnds(number) { rounds.addWrong() }
      number += 1
    }
  }

  /// Takes some milliseconds.
  @inline(never)
  private static func round(_ number: Int) {
    var sum = 0
    for step in 0..<100 {
      let found = piece(number * 100 + step)
      if found != expected(number * 100 + step) { rounds.addWrong() }
      sum = sum &+ found
    }
    if number % 8 == 0, !childEnds(number) { rounds.addWrong() }
    // Walks its own stack, and asks the loader for names.
    if number % 16 == 0, Thread.callStackSymbols.isEmpty { rounds.addWrong() }
    rounds.add(sum)
  }

  private struct Refusal: Error { let depth: Int }

  @inline(never)
  private static func refuse(_ depth: Int) throws -> Int {
    if depth == 0 { throw Refusal(depth: 12) }
    return try refuse(depth - 1) + 1
  }

  @inline(never)
  private static func piece(_ number: Int) -> Int {
    var words: [String: [Int]] = [:]
    for i in 0..<40 { words["word number \(i % 13)", default: []].append(number &+ i) }
    let length = rounds.locked { words.values.reduce(0) { $0 + $1.count } }
    do { return try refuse(12) } catch let refusal as Refusal { return length + refusal.depth + number } catch
    {
      return -1
    }
  }

  private static func expected(_ number: Int) -> Int { 40 + 12 + number }

  /// Returns whether a child ends with the expected status.
  private static func childEnds(_ number: Int) -> Bool {
    let status = Int32(number % 100)
    let child = forkProcess()
    if child == 0 { _exit(status) }
    var ended: Int32 = 0
    // No signal may interrupt this call.
    guard waitpid(child, &ended, 0) == child else { return false }
    return ended == status << 8
  }

  private final class Rounds: @unchecked Sendable {
    private let lock = NSLock()
    private var counts = (done: 0, sum: 0, wrong: 0)
    private var isOver = false

    var done: Int { lock.withLock { counts.done } }
    var sum: Int { lock.withLock { counts.sum } }
    var wrong: Int { lock.withLock { counts.wrong } }
    var areOver: Bool { lock.withLock { isOver } }
    func addWrong() { lock.withLock { counts.wrong += 1 } }
    func end() { lock.withLock { isOver = true } }
    func locked(_ body: () -> Int) -> Int { lock.withLock(body) }

    func add(_ sum: Int) {
      lock.withLock {
        counts.done += 1
        counts.sum &+= sum
      }
    }
  }
}
