import HeapModule

/// A clock that advances only on request, with actions that are scheduled for given times.
///
/// It has a monotonic time in nanoseconds and a wall clock that runs with it. Not thread-safe: a model has one
/// thread, and actions of other threads are scheduled here.
package final class VirtualClock {
  /// The order of actions that are scheduled for the same time.
  package enum Rank: Comparable {
    /// An action of another thread.
    case action
    /// A mode's timer expires.
    case timer
    /// The time limit of a run expires.
    case timeout
  }

  /// Identifies a scheduled action, to cancel it.
  package struct Ticket: Hashable { fileprivate let number: UInt64 }

  private struct Entry: Comparable {
    let time: UInt64
    let rank: Rank
    let number: UInt64
    let action: () -> Void

    static func < (a: Entry, b: Entry) -> Bool {
      a.time != b.time ? a.time < b.time : (a.rank, a.number) < (b.rank, b.number)
    }
    static func == (a: Entry, b: Entry) -> Bool { a.number == b.number }
  }

  /// The time in monotonic nanoseconds.
  package var now: UInt64 { time }
  private var time: UInt64
  /// The wall-clock time when `now` is 0, in nanoseconds since 2001-01-01 UTC. It changes when the clock is set.
  private var wallStart: Int64
  private var agenda = Heap<Entry>()
  /// The time of the first entry of the agenda; `.max` = it is empty.
  private var nextTime: UInt64 = .max
  private var cancelled: Set<UInt64> = []
  private var count: UInt64 = 0
  /// The work that may still be done: actions, and the items that are examined. In virtual time, nothing else ends a
  /// program that never stops.
  package var workLeft: Int { work }
  private var work: Int
  /// Whether no more actions happen and all loops end.
  package var isStopped: Bool { stopped }
  private var stopped = false
  /// The number of nested actions. An action may let time pass in which others happen.
  private var depth = 0
  private static let depthLimit = 64

  /// `wallStartNs`: the wall-clock time when `now` is 0, in nanoseconds since 2001-01-01 UTC.
  package init(now: UInt64 = 0, wallStartNs: Int64 = 0, work: Int = .max) {
    time = now
    self.work = work
    wallStart = wallStartNs
  }

  /// The wall-clock time in nanoseconds since 2001-01-01 UTC.
  package var wallNs: Int64 { wallStart &+ Int64(clamping: now) }

  /// Sets the wall clock forward, or back. It stays within 36 years of the monotonic clock.
  package func setWall(byNs: Int64) {
    let limit: Int64 = 1 << 60
    wallStart = min(max(wallStart &+ byNs, -limit), limit)
  }

  /// The wall-clock time in seconds since 2001-01-01 UTC, in steps of a microsecond like gettimeofday.
  package var absoluteTime: Double {
    let wall = wallNs
    // The fraction of the second; never negative, even before 2001.
    let part = (wall % 1_000_000_000 + 1_000_000_000) % 1_000_000_000
    return Double((wall - part) / 1_000_000_000) + 1e-6 * Double(part / 1000)
  }

  /// Schedules `action` for `time`. If that has passed, the action happens as soon as the caller lets time pass.
  @discardableResult
  package func schedule(at time: UInt64, _ rank: Rank = .action, _ action: @escaping () -> Void) -> Ticket {
    count += 1
    agenda.insert(Entry(time: time, rank: rank, number: count, action: action))
    nextTime = min(nextTime, time)
    return Ticket(number: count)
  }

  package func cancel(_ ticket: Ticket) { cancelled.insert(ticket.number) }

  /// Stops the clock, so that no more actions happen.
  package func stop() { stopped = true }

  /// Counts the examination of `work` items.
  package func use(_ work: Int) {
    self.work -= work
    if self.work < 0 { stopped = true }
  }

  /// Lets time pass. Actions that are due meanwhile happen in their order.
  package func advance(by nanoseconds: UInt64) {
    let end = time &+ nanoseconds
    guard nextTime <= end else { return time = max(time, end) }
    // At the depth limit, due actions wait until time passes again.
    while depth < VirtualClock.depthLimit, let next = takeNext(until: end) { happen(next) }
    time = max(time, end)
  }

  /// Lets time pass without any actions. Actions due meanwhile happen when time passes again.
  package func jump(by nanoseconds: UInt64) { time &+= nanoseconds }

  /// Advances to the next action and performs it. Returns false when there is none.
  package func advanceToNext() -> Bool {
    guard let next = takeNext(until: .max) else { return false }
    happen(next)
    return true
  }

  private func takeNext(until end: UInt64) -> Entry? {
    while !stopped, let next = agenda.min, next.time <= end {
      agenda.removeMin()
      nextTime = agenda.min?.time ?? .max
      if cancelled.isEmpty || cancelled.remove(next.number) == nil { return next }
    }
    return nil
  }

  private func happen(_ entry: Entry) {
    work -= 1
    if work < 0 { stopped = true }
    time = max(time, entry.time)
    depth += 1
    entry.action()
    depth -= 1
  }
}
