final class ModelMode {
  let name: String
  var sources0: [ModelSource0] = []
  /// The signalled sources of `sources0`, unordered.
  var signalled: [ModelSource0] = []
  /// Whether it is one of the loop's common modes.
  var isCommon = false
  var sources1: [ModelSource1] = []
  /// Sorted by order; equal ones in the order in which they were added.
  var observers: [ModelObserver] = []
  /// Sorted by due point; equal ones in the order in which they were placed.
  private(set) var timers: [ModelTimer] = []
  let waitSet = WaitSet()
  let timer: TimerDescriptor
  /// The due point for which the timer was last armed; `.max` = arm it in any case.
  private var armedFor: UInt64 = .max
  private let rules: RunLoopRules

  init(name: String, clock: VirtualClock, wakeUp: Descriptor, rules: RunLoopRules) {
    self.name = name
    self.rules = rules
    timer = TimerDescriptor(clock: clock)
    waitSet.insert(timer.descriptor)
    waitSet.insert(wakeUp)
  }

  func insert(_ observer: ModelObserver) {
    let at = observers.firstIndex { $0.order > observer.order } ?? observers.count
    observers.insert(observer, at: at)
  }

  // MARK: Timers

  /// Puts a timer in its place, after equal ones.
  func place(_ timer: ModelTimer) {
    takeOut(timer)
    let place = timers.firstPlace { $0.nextDue > timer.nextDue }
    timers.insert(timer, at: place)
    arm()
  }

  func remove(_ timer: ModelTimer) {
    takeOut(timer)
    arm()
  }

  /// Removes a timer by a linear search, because its due point may have changed. A timer that fired is among the
  /// first.
  private func takeOut(_ timer: ModelTimer) {
    if let at = timers.firstIndex(where: { $0 === timer }) { timers.remove(at: at) }
  }

  /// Arms the mode's timer for the next due point of a timer that is not firing.
  func arm() {
    let next = firstNoticed
    if next < .max {
      if next != armedFor { timer.arm(at: next) }
    } else if rules.emptyTimerIsDisarmed {
      timer.arm(at: .max)
    }
    armedFor = next
  }

  private var firstNoticed: UInt64 {
    var first: UInt64 = .max
    for timer in timers where !timer.isFiring {
      first = min(first, timer.noticedDue)
      // Timers are in the order of their due points.
      if timer.noticedDue <= timer.nextDue { break }
    }
    return first
  }

  /// Makes the next `arm` set the timer even if its time is the same.
  func forgetArmed() { armedFor = .max }
}
