import HeapModule

/// Time that passes only when somebody says so, and what is to happen at moments of it.
///
/// One monotonic clock in nanoseconds and one wall clock that runs with it. Not thread-safe: a model has one thread, and
/// what other threads would do is scheduled here.
public final class VirtualClock {
  /// What happens first of several things at the same moment.
  public enum Rank: Comparable {
    /// What another thread does.
    case action
    /// A mode's timer expires.
    case timer
    /// A run's time is up.
    case timeout
  }

  /// Names something that was scheduled, to cancel it.
  public struct Ticket: Hashable { fileprivate let number: UInt64 }

  private struct Entry: Comparable {
    let time: UInt64
    let rank: Rank
    let number: UInt64
    let action: () -> Void

    static func < (a: Entry, b: Entry) -> Bool { (a.time, a.rank, a.number) < (b.time, b.rank, b.number) }
    static func == (a: Entry, b: Entry) -> Bool { a.number == b.number }
  }

  /// Monotonic nanoseconds.
  public private(set) var now: UInt64
  /// Wall-clock microseconds since 2001-01-01 UTC when `now` was 0.
  private let wallStart: Int64
  private var agenda = Heap<Entry>()
  private var cancelled: Set<UInt64> = []
  private var count: UInt64 = 0
  /// What may still be done: what happens, and what is looked at on the way. In virtual time nothing else ends a program.
  public private(set) var workLeft: Int
  /// Nothing happens any more; loops end.
  public private(set) var isStopped = false
  /// Things that happen while others do, each in the time that the one before it takes.
  private var depth = 0
  private static let depthLimit = 64

  /// `wallStartNs`: nanoseconds since 2001-01-01 UTC when `now` is 0.
  public init(now: UInt64 = 0, wallStartNs: Int64 = 0, work: Int = .max) {
    self.now = now
    workLeft = work
    wallStart = wallStartNs
  }

  /// Seconds since 2001-01-01 UTC, in steps of a microsecond as gettimeofday gives them.
  public var absoluteTime: Double {
    let wall = wallStart + Int64(now)
    // Of the second, also before 2001.
    let part = (wall % 1_000_000_000 + 1_000_000_000) % 1_000_000_000
    return Double((wall - part) / 1_000_000_000) + 1e-6 * Double(part / 1000)
  }

  /// Lets `action` happen when time reaches `time`; at once when it has passed, but not before the caller lets time pass.
  @discardableResult
  public func schedule(at time: UInt64, _ rank: Rank = .action, _ action: @escaping () -> Void) -> Ticket {
    count += 1
    agenda.insert(Entry(time: time, rank: rank, number: count, action: action))
    return Ticket(number: count)
  }

  public func cancel(_ ticket: Ticket) { cancelled.insert(ticket.number) }

  /// Nothing happens from now on.
  public func stop() { isStopped = true }

  /// So many things are looked at.
  public func use(_ work: Int) {
    workLeft -= work
    if workLeft < 0 { stop() }
  }

  /// Lets time pass; what is due on the way happens in its order.
  public func advance(by nanoseconds: UInt64) {
    let end = now &+ nanoseconds
    // Deeper, what is due happens when time passes again.
    while depth < VirtualClock.depthLimit, let next = takeNext(until: end) { happen(next) }
    now = max(now, end)
  }

  /// Lets time pass in which nothing can happen. What was due meanwhile happens when time passes again.
  public func jump(by nanoseconds: UInt64) { now &+= nanoseconds }

  /// Passes to the next thing that is to happen and lets it happen. False when there is none.
  public func advanceToNext() -> Bool {
    guard let next = takeNext(until: .max) else { return false }
    happen(next)
    return true
  }

  private func takeNext(until end: UInt64) -> Entry? {
    while !isStopped, let next = agenda.min, next.time <= end {
      agenda.removeMin()
      if cancelled.remove(next.number) == nil { return next }
    }
    return nil
  }

  private func happen(_ entry: Entry) {
    use(1)
    now = max(now, entry.time)
    depth += 1
    entry.action()
    depth -= 1
  }
}
