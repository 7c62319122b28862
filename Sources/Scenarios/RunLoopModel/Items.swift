/// An item that can be in the modes of a model loop until it is invalidated.
package class ModelItem {
  package var isValid: Bool { valid }
  var valid = true
  /// The modes that contain it.
  var modes: [ModelMode] = []

  func mayJoin(_ loop: ModelRunLoop) -> Bool { valid }
  /// Called after the item has entered a mode, or left it.
  func entered(_ mode: ModelMode, of loop: ModelRunLoop) {}
  func left(_ mode: ModelMode) {}
}

/// A timer of a model loop. Times are monotonic nanoseconds.
package final class ModelTimer: ModelItem {
  package typealias Callout = (ModelTimer) -> Void

  /// The interval in nanoseconds; 0 = fires once.
  package let interval: UInt64
  /// The next due point; during the callout, the one that it answers.
  package var due: UInt64 { nextDue }
  var nextDue: UInt64
  var isFiring = false
  /// Where the loop notices a due point earlier or later than it comes: that moment, by the due point.
  package var noticed: [UInt64: UInt64] = [:]
  let callout: Callout
  /// The loop whose modes contain it.
  weak var loop: ModelRunLoop?

  /// `fireDate` and `interval` are in seconds, the date since 2001-01-01 UTC.
  package convenience init(
    fireDate: Double, interval: Double, clock: VirtualClock, callout: @escaping Callout
  ) {
    self.init(due: ModelTimer.due(fireDate, clock), interval: interval, callout: callout)
  }

  /// `due` is a monotonic time in nanoseconds, `interval` is in seconds.
  package init(due: UInt64, interval: Double, callout: @escaping Callout) {
    self.interval = interval > 0 ? nanoseconds(min(interval, RunLoopLimits.longestSeconds)) : 0
    self.callout = callout
    nextDue = due
  }

  /// Returns the monotonic time of a fire date. A past date means now.
  static func due(_ fireDate: Double, _ clock: VirtualClock) -> UInt64 {
    let wall = clock.absoluteTime
    let distance = min(fireDate - wall, RunLoopLimits.longestSeconds)
    return distance < 0 ? clock.now : clock.now &+ nanoseconds(distance)
  }

  /// When the loop notices the next due point.
  var noticedDue: UInt64 { noticed.isEmpty ? nextDue : noticed[nextDue] ?? nextDue }

  override func mayJoin(_ loop: ModelRunLoop) -> Bool {
    valid && (self.loop == nil || self.loop === loop)
  }

  override func entered(_ mode: ModelMode, of loop: ModelRunLoop) {
    self.loop = loop
    mode.place(self)
  }

  override func left(_ mode: ModelMode) {
    if modes.isEmpty { loop = nil }
    mode.remove(self)
  }
}

/// A source0 of a model loop.
package final class ModelSource0: ModelItem {
  package let order: Int
  private(set) var signalledAt: UInt64?
  let perform: () -> Void

  package init(order: Int, perform: @escaping () -> Void) {
    self.order = order
    self.perform = perform
  }

  var isSignalled: Bool { signalledAt != nil }

  /// Sets or clears the signal. Its modes list the signalled sources.
  func setSignal(_ time: UInt64?) {
    let wasSignalled = isSignalled
    signalledAt = time
    guard wasSignalled != isSignalled else { return }
    for mode in modes {
      if wasSignalled { mode.signalled.removeAll { $0 === self } } else { mode.signalled.append(self) }
    }
  }

  override func entered(_ mode: ModelMode, of loop: ModelRunLoop) {
    mode.sources0.append(self)
    if isSignalled { mode.signalled.append(self) }
  }

  override func left(_ mode: ModelMode) {
    mode.sources0.removeAll { $0 === self }
    if isSignalled { mode.signalled.removeAll { $0 === self } }
  }
}

/// A source1 of a model loop: a port that becomes readable.
package final class ModelSource1: ModelItem {
  let port = Descriptor()
  let perform: () -> Void

  package init(perform: @escaping () -> Void) { self.perform = perform }

  /// A message arrives at the port, from any thread.
  package func receive() { port.write() }

  override func entered(_ mode: ModelMode, of loop: ModelRunLoop) {
    mode.sources1.append(self)
    mode.waitSet.insert(port)
  }

  override func left(_ mode: ModelMode) {
    mode.sources1.removeAll { $0 === self }
    mode.waitSet.remove(port)
  }
}

/// An observer of a model loop.
package final class ModelObserver: ModelItem {
  /// The mask of its activities.
  let activities: UInt
  let order: Int
  let repeats: Bool
  var isFiring = false
  let callout: (Activity) -> Void

  package init(
    activities: UInt = 0x0FFF_FFFF, order: Int, repeats: Bool = true, callout: @escaping (Activity) -> Void
  ) {
    self.activities = activities
    self.order = order
    self.repeats = repeats
    self.callout = callout
  }

  override func entered(_ mode: ModelMode, of loop: ModelRunLoop) { mode.insert(self) }
  override func left(_ mode: ModelMode) { mode.observers.removeAll { $0 === self } }
}

/// Converts seconds to nanoseconds, truncated as in CoreFoundation.
func nanoseconds(_ seconds: Double) -> UInt64 {
  let product = seconds * 1e9
  return product < 0 ? 0 : product > Double(Int64.max / 2) ? UInt64(Int64.max / 2) : UInt64(product)
}
