import RunLoopModel
import Scenario
import SystemSupport
import TraceFormat

/// Runs scenarios on the model. Writes the events into a trace; for comparisons it writes none.
package final class ModelHost: LoopHost {
  package let loop: ModelRunLoop
  private let clock: VirtualClock
  /// The time on the loop's clock at which the scenario began.
  private let startNs: UInt64
  private let trace: VirtualTrace?
  private let loopObject: UInt32

  package convenience init(_ loop: ModelRunLoop) { self.init(loop, nil) }

  /// The times since the scenario began at which the process was stopped, and for how long.
  private(set) var suspensions: [(atNs: UInt64, forNs: UInt64)] = []

  /// `name`: the name of the loop.
  init(_ loop: ModelRunLoop, _ trace: VirtualTrace?, name: String = "main") {
    self.loop = loop
    self.trace = trace
    clock = loop.clock
    startNs = clock.now
    loopObject = trace?.object() ?? 0
    guard let trace else { return }
    trace.emit(.loopCreate, object: loopObject, [trace.string(name)])
    recordCommon(ModeName.default)
    loop.onActivity = { [unowned self] in observe($0, isAfter: $1, trace) }
    loop.onDrain = { [unowned self] isBegin in
      trace.emit(isBegin ? .mainQueueDrainBegin : .mainQueueDrainEnd, object: loopObject)
    }
  }

  private func record(_ events: (VirtualTrace) -> Void) { trace.map(events) }

  private func record(_ kind: EventKind, _ object: UInt32) { trace?.emit(kind, object: object) }

  /// Calls `body` between the events of a callout.
  private func record(_ begin: EventKind, _ object: UInt32, _ body: () -> Void) {
    record(begin, object)
    body()
    record(begin.end, object)
  }

  private func newObject() -> UInt32 { trace?.object() ?? 0 }

  private func recordCommon(_ mode: String) {
    record { $0.emit(.loopAddCommonMode, object: loopObject, [$0.mode(mode)]) }
  }

  // MARK: Activities

  private func observe(_ activity: Activity, isAfter: Bool, _ trace: VirtualTrace) {
    if activity == .entry, !isAfter, let mode = loop.currentModeName { trace.entered(mode: mode) }
    trace.emit(EventKind(activity, isHigh: isAfter), object: loopObject)
    if activity == .exit, isAfter { trace.left() }
  }

  // MARK: Time

  package var nowNs: UInt64 { clock.now - startNs }
  package func spend(_ work: Scenario.Work, ns: UInt64) { clock.advance(by: ns) }

  /// Stops the process. Nothing in it runs, and only the recorder's thread records events.
  package func suspend(ns: UInt64) {
    let thread = trace?.thread ?? .loop
    trace?.thread = .recorder
    record { $0.emit(.processStop, [UInt64(SIGSTOP)]) }
    suspensions.append((nowNs, ns))
    clock.jump(by: ns)
    record { $0.emit(.processContinue, [UInt64(SIGCONT)]) }
    trace?.thread = thread
  }

  package var wallNs: Int64 { clock.wallNs }

  /// Sets the wall clock. Workers are played later, so only the scenario's own loop may do that.
  package func setClock(byNs: Int64) {
    if let trace, case .worker = trace.thread { return }
    clock.setWall(byNs: byNs)
    trace?.setClock(byNs: byNs)
  }

  /// Applies the suspensions of another host, because they stopped the whole process.
  func suspend(with other: ModelHost) {
    for (atNs, forNs) in other.suspensions {
      clock.schedule(at: startNs + atNs, .action) { [clock] in clock.jump(by: forNs) }
    }
  }

  package func at(_ ns: UInt64, _ body: @escaping () -> Void) {
    clock.schedule(at: startNs + ns, .action) { [trace] in
      let thread = trace?.thread ?? .loop
      trace?.thread = .others
      body()
      trace?.thread = thread
    }
  }

  // MARK: Items

  package func makeTimer(_ timer: Scenario.Timer, _ callout: @escaping () -> Void) -> LoopItem {
    let object = newObject()
    let model = ModelTimer(
      fireDate: clock.absoluteTime + Double(timer.firstNs) / 1e9, interval: Double(timer.intervalNs) / 1e9,
      clock: clock
    ) { [unowned self] made in
      record { $0.emit(.timerDue, object: object, [moment(made.due, $0)]) }
      record(.timerBegin, object) { callout() }
      if timer.intervalNs == 0, made.isValid { record(.timerInvalidate, object) }
    }
    record { trace in
      trace.emit(
        .timerCreate, object: object,
        [
          trace.string(timer.name), timer.intervalNs, 0, moment(model.due, trace),
          trace.string(trace.siteOfTimer(timer)),
        ])
      if timer.isFrameSource { trace.emit(.timerFrames, object: object) }
    }
    var item = item(model, object, (.timerAdd, .timerRemove, .timerInvalidate))
    item.reschedule = { [unowned self] inNs, isOnLoopsThread in
      let due = loop.setNextFireDate(
        model, clock.absoluteTime + Double(inNs) / 1e9, isOnLoopsThread: isOnLoopsThread)
      record { $0.emit(.timerReschedule, object: object, [moment(due, $0)]) }
    }
    return item
  }

  /// Converts a time of the model's clock to the trace's units.
  private func moment(_ clockNs: UInt64, _ trace: VirtualTrace) -> UInt64 { trace.moment(clockNs &- startNs) }

  package func makeSource(_ source: Scenario.Source, _ perform: @escaping () -> Void) -> LoopItem {
    let object = newObject()
    record {
      $0.emit(
        .sourceCreate, object: object,
        [$0.string(source.name), 0, UInt64(bitPattern: Int64(source.order)), $0.string(source.name)])
    }
    let model = ModelSource0(order: source.order) { [unowned self] in
      record(.source0Begin, object) { perform() }
    }
    var item = item(model, object, (.sourceAdd, .sourceRemove, .sourceInvalidate))
    item.signal = { [unowned self] in
      record(.sourceSignal, object)
      loop.signal(model)
    }
    return item
  }

  package func makeObserver(
    _ observer: Scenario.Observer, _ callout: @escaping (Activity) -> Void
  ) -> LoopItem {
    let object = newObject()
    let activities = observer.activities.reduce(0) { $0 | $1.rawValue }
    record {
      $0.emit(
        .observerCreate, object: object,
        [$0.string(observer.name), UInt64(activities), UInt64(bitPattern: Int64(observer.order))])
    }
    let model = ModelObserver(activities: activities, order: observer.order, repeats: observer.repeats) {
      [unowned self] activity in
      record(.observerBegin, object) { callout(activity) }
    }
    return item(model, object, nil)
  }

  /// `kinds`: the events about the item's modes and its end; nil for observers, which have none.
  private func item(
    _ model: ModelItem, _ object: UInt32, _ kinds: (add: EventKind, remove: EventKind, end: EventKind)?
  ) -> LoopItem {
    LoopItem { [unowned self] mode in
      if let kinds { record { $0.emit(kinds.add, object: object, [$0.mode(mode), UInt64(loopObject)]) } }
      loop.add(model, to: mode)
    } remove: { [unowned self] mode in
      if let kinds { record { $0.emit(kinds.remove, object: object, [$0.mode(mode)]) } }
      loop.remove(model, from: mode)
    } invalidate: { [unowned self] in
      if let kinds, model.isValid { record(kinds.end, object) }
      loop.invalidate(model)
    }
  }

  // MARK: The loop

  package func wakeUp() {
    record(.loopWakeUp, loopObject)
    loop.wakeUp()
  }

  package func stop() {
    record(.loopStop, loopObject)
    loop.stop()
  }

  package func perform(inModes modes: [String], _ body: @escaping () -> Void) {
    let object = makeBlock("block", modes: modes)
    loop.perform(inModes: Set(modes)) { [unowned self] in
      record(.blockBegin, object) { body() }
    }
  }

  package func performOnMainQueue(_ body: @escaping () -> Void) {
    let object = makeBlock("main-queue block")
    loop.mainQueue?.async { [unowned self] in
      record(.mainQueueBlockBegin, object) { body() }
    }
  }

  /// `modes`: for a block of the loop, its modes. Such a block may run at once.
  private func makeBlock(_ name: String, modes: [String]? = nil) -> UInt32 {
    let object = newObject()
    record { trace in
      let whereToRun = modes.map { [moment(clock.now, trace)] + $0.map(trace.mode) } ?? []
      trace.emit(
        .blockCreate, object: object, [trace.string(name), UInt64(loopObject)] + whereToRun)
    }
    return object
  }

  package func addCommonMode(_ mode: String) {
    recordCommon(mode)
    loop.addCommonMode(mode)
  }

  package func run(mode: String, forNs: UInt64?, returnsAfterSource: Bool) -> Int {
    trace?.emitInMode(mode, .runBegin, object: loopObject, [forNs ?? .max, returnsAfterSource ? 1 : 0])
    let result = loop.run(
      mode: mode, seconds: forNs.map { Double($0) / 1e9 } ?? 1e10,
      returnAfterSourceHandled: returnsAfterSource
    ).rawValue
    trace?.emitInMode(mode, .runEnd, object: loopObject, [UInt64(result)])
    return result
  }

  // MARK: Statements of the program

  private var taskObjects: [String: UInt32] = [:]
  private var serviceObjects: [String: UInt32] = [:]

  package func note(_ note: HostNote) {
    guard let trace else { return }
    switch note {
    case .mark(let name): trace.emit(.mark, [trace.string(name)])
    case .lifeCycle(let phase): trace.emit(.lifeCycle, [phase.rawValue])
    case .state(let name, let value): trace.emit(.state, [trace.string(name), trace.string(value)])
    case .taskBegins(let task):
      let object = trace.object()
      taskObjects[task.name] = object
      trace.emit(.backgroundTaskBegin, object: object, [trace.string(task.name), task.budgetNs])
    case .taskEnds(let task): trace.emit(.backgroundTaskEnd, object: taskObjects[task.name] ?? 0)
    case .taskExpires(let task): trace.emit(.backgroundTaskExpired, object: taskObjects[task.name] ?? 0)
    case .serviceStarts(let service):
      let object = trace.object()
      serviceObjects[service.name] = object
      trace.emit(.serviceBegin, object: object, [trace.string(service.name)])
    case .serviceHalts(let service): trace.emit(.serviceEnd, object: serviceObjects[service.name] ?? 0)
    }
  }
}
