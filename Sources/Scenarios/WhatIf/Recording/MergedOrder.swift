/// All events of a recording in time order. At equal times, events are in the order of their threads, and
/// the threads of `last` come after the others.
struct MergedOrder {
  private var heads: [Int]
  private let isWanted: [Bool]
  private let ranks: [Int]
  private var current: Int?
  /// The next event of another thread: the current thread's events come first up to here.
  private var limit = Head(time: 0, place: 0)

  private struct Head: Comparable {
    var time: UInt64
    var rank = 0
    var place: Int
    static func < (a: Head, b: Head) -> Bool { (a.time, a.rank, a.place) < (b.time, b.rank, b.place) }
  }

  init(
    _ threads: [RecordedThread], last: Set<Int> = [], where isWanted: (Int) -> Bool = { _ in true }
  ) {
    ranks = threads.indices.map { last.contains($0) ? 1 : 0 }
    heads = [Int](repeating: 0, count: threads.count)
    self.isWanted = threads.indices.map(isWanted)
  }

  /// Returns the thread and the index of the next event. O(1) as long as one thread continues, else O(threads).
  mutating func next(in threads: [RecordedThread]) -> (place: Int, at: Int)? {
    if let place = current, let head = head(place, threads), head < limit { return take(place) }
    var first: Head?
    limit = Head(time: .max, rank: .max, place: .max)
    for place in heads.indices where isWanted[place] {
      guard let head = head(place, threads) else { continue }
      if let best = first {
        limit = min(limit, max(head, best))
        first = min(head, best)
      } else {
        first = head
      }
    }
    current = first?.place
    return current.map { take($0) }
  }

  private func head(_ place: Int, _ threads: [RecordedThread]) -> Head? {
    let at = heads[place]
    return at < threads[place].events.count
      ? Head(time: threads[place].events[at].time, rank: ranks[place], place: place) : nil
  }

  private mutating func take(_ place: Int) -> (place: Int, at: Int) {
    heads[place] += 1
    return (place, heads[place] - 1)
  }
}
