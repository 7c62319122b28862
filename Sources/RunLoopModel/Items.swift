/// A timer of a model loop. Times are monotonic nanoseconds.
public final class ModelTimer {
  public typealias Callout = (ModelTimer) -> Void

  /// 0 = fires once.
  public let interval: UInt64
  /// The next due point; during the callout the one it answers.
  public internal(set) var due: UInt64
  public internal(set) var isValid = true
  public internal(set) var isFiring = false
  let callout: Callout
  /// Modes it is in, and the loop they belong to.
  var modes: [ModelMode] = []
  weak var loop: ModelRunLoop?

  /// `fireDate` and `interval` in seconds, the date since 2001-01-01 UTC.
  public init(
    fireDate: Double, interval: Double, clock: VirtualClock, callout: @escaping Callout
  ) {
    self.interval = interval > 0 ? nanoseconds(min(interval, RunLoopLimits.longestSeconds)) : 0
    self.callout = callout
    due = ModelTimer.due(fireDate, clock)
  }

  /// A date becomes a distance from now, a past one "now".
  static func due(_ fireDate: Double, _ clock: VirtualClock) -> UInt64 {
    let wall = clock.absoluteTime
    let distance = min(fireDate - wall, RunLoopLimits.longestSeconds)
    return distance < 0 ? clock.now : clock.now &+ nanoseconds(distance)
  }
}

/// A source0 of a model loop.
public final class ModelSource0 {
  public let order: Int
  public internal(set) var isValid = true
  var signalledAt: UInt64?
  let perform: () -> Void
  var modes: [ModelMode] = []

  public init(order: Int, perform: @escaping () -> Void) {
    self.order = order
    self.perform = perform
  }

  public var isSignalled: Bool { signalledAt != nil }
}

/// A source1: a descriptor that another thread writes to.
public final class ModelSource1 {
  let descriptor = Descriptor()
  public internal(set) var isValid = true
  let perform: () -> Void
  var modes: [ModelMode] = []

  public init(perform: @escaping () -> Void) { self.perform = perform }

  /// As a write from another thread.
  public func write() { descriptor.write() }
}

/// An observer of a model loop.
public final class ModelObserver {
  /// Activity bits.
  let activities: UInt
  let order: Int
  let repeats: Bool
  public internal(set) var isValid = true
  var isFiring = false
  let callout: (Activity) -> Void
  var modes: [ModelMode] = []

  public init(
    activities: UInt = 0x0FFF_FFFF, order: Int, repeats: Bool = true, callout: @escaping (Activity) -> Void
  ) {
    self.activities = activities
    self.order = order
    self.repeats = repeats
    self.callout = callout
  }
}

/// Seconds as nanoseconds, cut off as CoreFoundation does it.
func nanoseconds(_ seconds: Double) -> UInt64 {
  let product = seconds * 1e9
  return product < 0 ? 0 : product > Double(Int64.max / 2) ? UInt64(Int64.max / 2) : UInt64(product)
}
