import Testing

@testable import PageReport

@Suite struct DetailLaneTests {
  private func lane(_ count: Int, capacity: Int = 128, worstKept: Int = 3, bad: [Int: UInt64] = [:])
    -> DetailLane<Int>
  {
    var lane = DetailLane<Int>(capacity: capacity, worstKept: worstKept)
    lane.forgetWhole()
    for number in 0..<count {
      lane.add(number)
      if let score = bad[number] { lane.mark(asBadAs: score) }
    }
    return lane
  }

  @Test func aSmallLaneKeepsAll() {
    var lane = DetailLane<Int>(capacity: 16, worstKept: 2)
    for number in 0..<1000 { lane.add(number) }
    let windows = lane.windows(limit: 1000)
    #expect(windows.map(\.marks) == [Array(0..<1000)])
  }

  @Test func aLongLaneKeepsItsBeginningItsEndAndTheWorst() {
    var lane = DetailLane<Int>(capacity: 128, worstKept: 2)
    let bad: [Int: UInt64] = [500: 7, 1500: 9, 2500: 3, 3500: 8]
    for number in 0..<5000 {
      lane.add(number)
      if number == 200 { lane.forgetWhole() }
      if let score = bad[number] { lane.mark(asBadAs: score) }
    }
    let windows = lane.windows(limit: 10_000)
    for number in [0, 99, 1500, 1520, 3500, 3430, 4999] {
      #expect(windows.contains { $0.marks.contains(number) }, "\(number)")
    }
    #expect(!windows.contains { $0.marks.contains(2500) })
    #expect(!windows.contains { $0.marks.contains(500) })
  }

  /// The marks of a window have no holes, and windows neither overlap nor touch.
  @Test(arguments: 0..<30) func windowsAreWhole(seed: Int) {
    var generator = SystemRandomNumberGenerator()
    var bad: [Int: UInt64] = [:]
    for _ in 0..<40 {
      bad[Int.random(in: 0..<3000, using: &generator)] = UInt64.random(in: 1...1000, using: &generator)
    }
    let windows = lane(3000, capacity: 64, worstKept: 5, bad: bad).windows(limit: 10_000)
    for window in windows {
      #expect(window.marks == Array(Int(window.first)..<Int(window.end)), "\(bad)")
    }
    for (one, next) in zip(windows, windows.dropFirst()) { #expect(one.end < next.first, "\(bad)") }
  }

  @Test func theLimitHoldsAndTheWorstComeFirst() {
    let windows = lane(5000, bad: [1000: 5, 2000: 50, 3000: 1]).windows(limit: 400)
    #expect(windows.reduce(0) { $0 + $1.marks.count } <= 400)
    #expect(windows.contains { $0.marks.contains(2000) })
    #expect(!windows.contains { $0.marks.contains(3000) })
  }

  @Test func theWorstMarkAtTheEndIsKept() {
    let windows = lane(5000, bad: [4998: 5]).windows(limit: 10_000)
    #expect(windows.last?.marks.last == 4999)
  }
}
