// The model uses this vocabulary, so importers need it.
@_exported import RunLoopVocabulary

/// CFRunLoop in virtual time: modes, sources, timers, observers, blocks, the main queue, nested runs, wake-ups.
///
/// It takes the calls that a thread makes on its loop, and calls back as CFRunLoop does. Time passes only in callouts
/// that advance the clock, and while the loop waits. The same calls give the same callbacks at the same times. One
/// thread; actions of other threads are scheduled on the clock.
///
/// docs/explanation/runloop-semantics.md lists the rules and their sources.
package final class ModelRunLoop {
  /// The state of a single run.
  final class RunRecord {
    var isStopped = false
    var ignoresWakeUps: Bool
    init(ignoresWakeUps: Bool) { self.ignoresWakeUps = ignoresWakeUps }
  }

  struct QueuedBlock {
    let modes: Set<String>
    let body: () -> Void
  }

  package let clock: VirtualClock
  package let isMain: Bool
  let rules: RunLoopRules
  let wakeUpDescriptor = Descriptor()
  var modes: [String: ModelMode] = [:]
  private var commonModeNames: Set<String> = [ModeName.default]
  private var commonItems: [ModelItem] = []
  var blocks: [QueuedBlock] = []
  /// The mode of the innermost run.
  var current: ModelMode?
  var record = RunRecord(ignoresWakeUps: true)
  var isWaiting = false
  /// The main dispatch queue; nil except for the main loop.
  package let mainQueue: ModelMainQueue?
  var isInMainQueueCallout = false
  /// Called at each activity, before all observers (false) and after them (true).
  package var onActivity: ((_ activity: Activity, _ isAfter: Bool) -> Void)? {
    get { activityHandler }
    set { activityHandler = newValue }
  }
  // Reading a public property of an object costs an exclusivity check.
  var activityHandler: ((_ activity: Activity, _ isAfter: Bool) -> Void)?
  /// How long after the deadline of a run its timer wakes the loop, in nanoseconds. Read when a run begins.
  package var timeoutLatenessNs: UInt64 = 1000
  /// How runs treat a due point at their time limit.
  package var limits = TimeLimits()
  /// The due points within `limits.slackNs` of the time limit of a run that could serve them.
  package internal(set) var duePointsAtLimits = 0
  /// Called at the start (true) and the end of each drain of the main queue.
  package var onDrain: ((_ isBegin: Bool) -> Void)?
  /// Whether the loop had to wait when nothing was scheduled. From then on every run ends at once, as if stopped.
  package internal(set) var waitedForever = false

  package init(clock: VirtualClock, isMain: Bool = false, rules: RunLoopRules = .linux) {
    self.clock = clock
    self.isMain = isMain
    self.rules = rules
    mainQueue = isMain ? ModelMainQueue() : nil
    _ = mode(ModeName.default)
  }

  deinit {
    // Items and modes refer to each other, so this breaks the cycle.
    for mode in modes.values {
      for item in mode.sources0 as [ModelItem] + mode.sources1 + mode.observers + mode.timers {
        item.modes = []
      }
    }
  }

  /// The mode of the innermost run; nil outside any run.
  package var currentModeName: String? { current?.name }

  /// Assumes that a mode exists, which the program made by unknown calls at an unknown time before its first run.
  package func assumeMode(_ name: String) {
    if modes[name] == nil { mode(name).waitSet.isAssumed = true }
  }

  /// How often the loop chose what to serve first by the time at which an assumed mode was made.
  package var unknownOrders: Int { modes.values.reduce(0) { $0 + $1.waitSet.unknownOrders } }

  /// Returns whether a mode contains timers or sources.
  package func hasItems(in name: String) -> Bool {
    modes[name].map { !$0.timers.isEmpty || !$0.sources0.isEmpty || !$0.sources1.isEmpty } ?? false
  }

  func mode(_ name: String) -> ModelMode {
    if let known = modes[name] {
      known.waitSet.isAssumed = false
      return known
    }
    let mode = ModelMode(name: name, clock: clock, wakeUp: wakeUpDescriptor, rules: rules)
    mode.isCommon = commonModeNames.contains(name)
    modes[name] = mode
    return mode
  }

  // MARK: Wake-ups and stops

  /// CFRunLoopWakeUp.
  package func wakeUp() {
    if record.ignoresWakeUps { return }
    wakeUpDescriptor.write()
  }

  /// CFRunLoopStop: ends the innermost run after its current pass.
  package func stop() {
    guard current != nil else { return }
    record.isStopped = true
    wakeUp()
  }

  /// Whether the loop waits, and something that has arrived ends its wait.
  package var isWaking: Bool { isWaiting && current?.waitSet.hasReadable == true }

  // MARK: Blocks

  /// CFRunLoopPerformBlock. Creates the modes, and does not wake the loop.
  package func perform(inModes names: Set<String>, _ body: @escaping () -> Void) {
    for name in names { _ = mode(name) }
    blocks.append(QueuedBlock(modes: names, body: body))
  }

  func isEligible(_ block: QueuedBlock, in mode: ModelMode) -> Bool {
    block.modes.contains(mode.name)
      || (mode.isCommon && block.modes.contains(ModeName.common))
  }

  // MARK: Items

  /// CFRunLoopAddCommonMode. All common items enter the mode.
  package func addCommonMode(_ name: String) {
    guard commonModeNames.insert(name).inserted else { return }
    modes[name]?.isCommon = true
    for item in commonItems { put(item, into: name) }
  }

  /// CFRunLoopAddTimer, CFRunLoopAddSource, CFRunLoopAddObserver.
  package func add(_ item: ModelItem, to name: String) {
    guard name == ModeName.common else { return put(item, into: name) }
    guard item.mayJoin(self) else { return }
    if !commonItems.contains(where: { $0 === item }) { commonItems.append(item) }
    for name in commonModeNames.ordered() { put(item, into: name) }
  }

  private func put(_ item: ModelItem, into name: String) {
    guard item.mayJoin(self) else { return }
    let mode = mode(name)
    guard !item.modes.contains(where: { $0 === mode }) else { return }
    item.modes.append(mode)
    item.entered(mode, of: self)
  }

  package func remove(_ item: ModelItem, from name: String) {
    guard name == ModeName.common else {
      take(item, outOf: name)
      if !rules.commonItemsLeaveOneMode { commonItems.removeAll { $0 === item } }
      return
    }
    let at = commonItems.firstIndex { $0 === item }
    guard at != nil || !rules.commonRemovalIsOfCommonItems else { return }
    if let at { commonItems.remove(at: at) }
    for name in commonModeNames.ordered() { take(item, outOf: name) }
  }

  private func take(_ item: ModelItem, outOf name: String) {
    guard let mode = modes[name], let at = item.modes.firstIndex(where: { $0 === mode }) else { return }
    item.modes.remove(at: at)
    item.left(mode)
  }

  /// Invalidates an item permanently.
  package func invalidate(_ item: ModelItem) {
    guard item.valid else { return }
    item.valid = false
    for mode in item.modes { take(item, outOf: mode.name) }
    commonItems.removeAll { $0 === item }
  }

  /// CFRunLoopSourceSignal. Does not wake the loop.
  package func signal(_ source: ModelSource0) {
    if source.valid, !source.isSignalled { source.setSignal(clock.now) }
  }

  /// CFRunLoopTimerSetNextFireDate. If `isOnLoopsThread` is false, the call comes from another thread and wakes the
  /// loop. Returns the date as a monotonic time.
  @discardableResult
  package func setNextFireDate(_ timer: ModelTimer, _ fireDate: Double, isOnLoopsThread: Bool = true)
    -> UInt64
  {
    let due = ModelTimer.due(fireDate, clock)
    setNextFireDate(timer, due: due, isOnLoopsThread: isOnLoopsThread)
    return due
  }

  /// The same for a monotonic time in nanoseconds.
  package func setNextFireDate(_ timer: ModelTimer, due: UInt64, isOnLoopsThread: Bool = true) {
    guard timer.valid else { return }
    timer.nextDue = due
    for mode in timer.modes { mode.place(timer) }
    if timer.loop != nil, !isOnLoopsThread { wakeUp() }
  }
}
