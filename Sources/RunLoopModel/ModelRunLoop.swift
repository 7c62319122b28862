// Who imports this reads the words it is told in.
@_exported import RunLoopVocabulary

/// CFRunLoop in virtual time: modes, sources, timers, observers, blocks, the main queue, nested runs, wake-ups.
///
/// It takes the calls that a thread makes on its loop, and calls back as CFRunLoop does. The clock says what time it is,
/// and passes only in callouts that let it pass and while the loop waits; the same calls give the same callbacks at the
/// same moments. One thread; what other threads would do is scheduled on the clock.
///
/// The rules and where they come from: docs/runloop-semantics.md.
public final class ModelRunLoop {
  /// What a run has for itself.
  final class RunRecord {
    var isStopped = false
    var ignoresWakeUps: Bool
    init(ignoresWakeUps: Bool) { self.ignoresWakeUps = ignoresWakeUps }
  }

  struct QueuedBlock {
    let modes: Set<String>
    let body: () -> Void
  }

  public let clock: VirtualClock
  public let isMain: Bool
  let rules: RunLoopRules
  let wakeUpDescriptor = Descriptor()
  var modes: [String: ModelMode] = [:]
  private(set) var commonModeNames: Set<String> = [ModeName.default]
  private var commonItems: [CommonItem] = []
  var blocks: [QueuedBlock] = []
  /// The mode of the innermost run.
  var current: ModelMode?
  var record = RunRecord(ignoresWakeUps: true)
  /// The main loop's: blocks of the main dispatch queue.
  public let mainQueue: ModelMainQueue?
  var isInMainQueueCallout = false
  /// Told each mode that comes to be.
  public var onNewMode: ((_ name: String) -> Void)?
  /// Told the begin (true) and the end of each drain of the main queue.
  public var onDrain: ((_ isBegin: Bool) -> Void)?
  /// The loop had to wait and nothing was to come. From then on every run ends at once, as if stopped.
  public internal(set) var waitedForever = false

  public init(clock: VirtualClock, isMain: Bool = false, rules: RunLoopRules = .linux) {
    self.clock = clock
    self.isMain = isMain
    self.rules = rules
    mainQueue = isMain ? ModelMainQueue() : nil
    _ = mode(ModeName.default)
  }

  /// Modes that exist.
  public var modeNames: Set<String> { Set(modes.keys) }

  func mode(_ name: String) -> ModelMode {
    if let known = modes[name] { return known }
    let mode = ModelMode(name: name, clock: clock, wakeUp: wakeUpDescriptor, rules: rules)
    modes[name] = mode
    onNewMode?(name)
    return mode
  }

  // MARK: Wake-ups and stops

  /// CFRunLoopWakeUp.
  public func wakeUp() {
    if record.ignoresWakeUps { return }
    wakeUpDescriptor.write()
  }

  /// CFRunLoopStop: ends the innermost run after its present pass.
  public func stop() {
    guard current != nil else { return }
    record.isStopped = true
    wakeUp()
  }

  // MARK: Blocks

  /// CFRunLoopPerformBlock. Creates the modes, and wakes nobody.
  public func perform(inModes names: Set<String>, _ body: @escaping () -> Void) {
    for name in names { _ = mode(name) }
    blocks.append(QueuedBlock(modes: names, body: body))
  }

  func isEligible(_ block: QueuedBlock, in mode: ModelMode) -> Bool {
    block.modes.contains(mode.name)
      || (block.modes.contains(ModeName.common) && commonModeNames.contains(mode.name))
  }

  // MARK: Items

  private enum CommonItem {
    case timer(ModelTimer)
    case source0(ModelSource0)
    case source1(ModelSource1)
    case observer(ModelObserver)

    var object: AnyObject {
      switch self {
      case .timer(let item): item
      case .source0(let item): item
      case .source1(let item): item
      case .observer(let item): item
      }
    }
  }

  /// CFRunLoopAddCommonMode: all common items enter the mode, too.
  public func addCommonMode(_ name: String) {
    guard commonModeNames.insert(name).inserted else { return }
    for item in commonItems { add(item, to: name) }
  }

  public func add(_ timer: ModelTimer, to mode: String) { add(.timer(timer), to: mode) }
  public func add(_ source: ModelSource0, to mode: String) { add(.source0(source), to: mode) }
  public func add(_ source: ModelSource1, to mode: String) { add(.source1(source), to: mode) }
  public func add(_ observer: ModelObserver, to mode: String) { add(.observer(observer), to: mode) }

  private func add(_ item: CommonItem, to name: String) {
    guard name == ModeName.common else { return put(item, into: name) }
    if case .timer(let timer) = item, !mayAdd(timer) { return }
    if !commonItems.contains(where: { $0.object === item.object }) { commonItems.append(item) }
    for name in commonModeNames.sorted() { put(item, into: name) }
  }

  private func mayAdd(_ timer: ModelTimer) -> Bool {
    timer.isValid && (timer.loop == nil || timer.loop === self)
  }

  private func put(_ item: CommonItem, into name: String) {
    switch item {
    case .timer(let timer):
      guard mayAdd(timer) else { return }
      let mode = mode(name)
      guard !timer.modes.contains(where: { $0 === mode }) else { return }
      timer.loop = self
      timer.modes.append(mode)
      mode.place(timer)
    case .source0(let source):
      guard source.isValid else { return }
      let mode = mode(name)
      guard !source.modes.contains(where: { $0 === mode }) else { return }
      source.modes.append(mode)
      mode.sources0.append(source)
    case .source1(let source):
      guard source.isValid else { return }
      let mode = mode(name)
      guard !source.modes.contains(where: { $0 === mode }) else { return }
      source.modes.append(mode)
      mode.sources1.append(source)
      mode.waitSet.insert(source.descriptor)
    case .observer(let observer):
      guard observer.isValid else { return }
      let mode = mode(name)
      guard !observer.modes.contains(where: { $0 === mode }) else { return }
      observer.modes.append(mode)
      mode.insert(observer)
    }
  }

  public func remove(_ timer: ModelTimer, from mode: String) { remove(.timer(timer), from: mode) }
  public func remove(_ source: ModelSource0, from mode: String) { remove(.source0(source), from: mode) }
  public func remove(_ source: ModelSource1, from mode: String) { remove(.source1(source), from: mode) }
  public func remove(_ observer: ModelObserver, from mode: String) { remove(.observer(observer), from: mode) }

  private func remove(_ item: CommonItem, from name: String) {
    guard name == ModeName.common else { return take(item, outOf: name) }
    guard let at = commonItems.firstIndex(where: { $0.object === item.object }) else { return }
    commonItems.remove(at: at)
    for name in commonModeNames.sorted() { take(item, outOf: name) }
  }

  private func take(_ item: CommonItem, outOf name: String) {
    guard let mode = modes[name] else { return }
    switch item {
    case .timer(let timer):
      guard timer.modes.contains(where: { $0 === mode }) else { return }
      timer.modes.removeAll { $0 === mode }
      if timer.modes.isEmpty { timer.loop = nil }
      mode.remove(timer)
    case .source0(let source):
      source.modes.removeAll { $0 === mode }
      mode.sources0.removeAll { $0 === source }
    case .source1(let source):
      source.modes.removeAll { $0 === mode }
      mode.sources1.removeAll { $0 === source }
      mode.waitSet.remove(source.descriptor)
    case .observer(let observer):
      observer.modes.removeAll { $0 === mode }
      mode.observers.removeAll { $0 === observer }
    }
  }

  /// CFRunLoopSourceSignal. Wakes nobody.
  public func signal(_ source: ModelSource0) {
    if source.isValid, source.signalledAt == nil { source.signalledAt = clock.now }
  }

  // MARK: Ends of items

  public func invalidate(_ timer: ModelTimer) {
    guard timer.isValid else { return }
    timer.isValid = false
    removeEverywhere(.timer(timer), timer.modes)
  }

  public func invalidate(_ source: ModelSource0) {
    guard source.isValid else { return }
    source.isValid = false
    source.signalledAt = nil
    removeEverywhere(.source0(source), source.modes)
  }

  public func invalidate(_ source: ModelSource1) {
    guard source.isValid else { return }
    source.isValid = false
    removeEverywhere(.source1(source), source.modes)
  }

  public func invalidate(_ observer: ModelObserver) {
    guard observer.isValid else { return }
    observer.isValid = false
    removeEverywhere(.observer(observer), observer.modes)
  }

  private func removeEverywhere(_ item: CommonItem, _ modes: [ModelMode]) {
    for mode in modes { take(item, outOf: mode.name) }
    commonItems.removeAll { $0.object === item.object }
  }

  /// CFRunLoopTimerSetNextFireDate. `isOnLoopsThread` false: as from another thread, which wakes the loop.
  public func setNextFireDate(_ timer: ModelTimer, _ fireDate: Double, isOnLoopsThread: Bool = true) {
    guard timer.isValid else { return }
    timer.due = ModelTimer.due(fireDate, clock)
    for mode in timer.modes { mode.place(timer) }
    if timer.loop != nil, !isOnLoopsThread { wakeUp() }
  }
}
