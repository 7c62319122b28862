/// A mode of a model loop.
final class ModelMode {
  let name: String
  var sources0: [ModelSource0] = []
  /// By order; of equals, the one added first.
  var observers: [ModelObserver] = []
  /// By due point; of equals, the one placed first.
  private(set) var timers: [ModelTimer] = []
  let waitSet = WaitSet()
  let timer: TimerDescriptor
  /// The due point the timer was last armed for; `.max` = to be armed whatever it is.
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

  /// Puts a timer at its place, behind equals.
  func place(_ timer: ModelTimer) {
    takeOut(timer)
    var low = 0, high = timers.count
    while low < high {
      let middle = (low + high) / 2
      if timers[middle].due > timer.due { high = middle } else { low = middle + 1 }
    }
    timers.insert(timer, at: low)
    arm()
  }

  func remove(_ timer: ModelTimer) {
    takeOut(timer)
    arm()
  }

  /// Its due point may be another one by now. One that fired is among the first.
  private func takeOut(_ timer: ModelTimer) {
    if let at = timers.firstIndex(where: { $0 === timer }) { timers.remove(at: at) }
  }

  /// Arms the mode's timer for the next due point of one that is not firing.
  func arm() {
    let next = timers.first { !$0.isFiring }?.due ?? .max
    if next < .max {
      if next != armedFor { timer.arm(at: next) }
    } else if rules.emptyTimerIsDisarmed {
      timer.arm(at: .max)
    }
    armedFor = next
  }

  /// Lets the next `arm` arm, even for the same moment.
  func forgetArmed() { armedFor = .max }
}
