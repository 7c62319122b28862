import RunLoopModel
import Scenario
import TraceFormat

/// The model as a place for scenarios that writes what happens into a trace.
final class VirtualHost: LoopHost {
  /// An item of the model and its id in the trace.
  struct Item<Model: AnyObject> {
    let model: Model
    let object: UInt32
  }

  private let host: ModelHost
  private let loop: ModelRunLoop
  private let trace: VirtualTrace
  private let loopObject: UInt32

  init(_ host: ModelHost, _ trace: VirtualTrace) {
    self.host = host
    self.trace = trace
    loop = host.loop
    loopObject = trace.object()
    trace.emit(.loopCreate, object: loopObject, [trace.string("main")])
    emitCommon(ModeName.default)
    loop.onNewMode = { [unowned self] in observe($0) }
    loop.onDrain = { [unowned self] isBegin in
      trace.emit(isBegin ? .mainQueueDrainBegin : .mainQueueDrainEnd, object: loopObject)
    }
    for mode in loop.modeNames.sorted() { observe(mode) }
  }

  private func emitCommon(_ mode: String) {
    trace.emit(.loopAddCommonMode, object: loopObject, [trace.mode(mode)])
  }

  // MARK: Activities

  private func observe(_ mode: String) {
    // A block for the common modes creates a mode of this name, in which nothing can run.
    guard mode != ModeName.common else { return }
    for (order, isHigh) in [(Int.min, false), (Int.max, true)] {
      let observer = ModelObserver(order: order) { [unowned self] activity in
        if activity == .entry, !isHigh { trace.entered(mode: mode) }
        trace.emit(EventKind(activity, isHigh: isHigh), object: loopObject)
        if activity == .exit, isHigh { trace.left() }
      }
      loop.add(observer, to: mode)
    }
  }

  // MARK: Time

  var nowNs: UInt64 { host.nowNs }
  func spend(_ work: Scenario.Work, ns: UInt64) { host.spend(work, ns: ns) }

  /// Nothing of the process runs, and nothing is recorded but by those who look on.
  func suspend(ns: UInt64) {
    let thread = trace.thread
    trace.thread = .recorder
    trace.emit(.processStop, [UInt64(SIGSTOP)])
    host.suspend(ns: ns)
    trace.emit(.processContinue, [UInt64(SIGCONT)])
    trace.thread = thread
  }

  func at(_ ns: UInt64, _ body: @escaping () -> Void) {
    host.at(ns) { [trace] in
      let thread = trace.thread
      trace.thread = .others
      body()
      trace.thread = thread
    }
  }

  // MARK: Items

  func makeTimer(_ timer: Scenario.Timer, _ callout: @escaping () -> Void) -> Item<ModelTimer> {
    let object = trace.object()
    weak var made: ModelTimer?
    let model = host.makeTimer(timer) { [unowned self] in
      if let made { trace.emit(.timerDue, object: object, [moment(made.due)]) }
      trace.emit(.timerBegin, object: object)
      callout()
      trace.emit(.timerEnd, object: object)
      if timer.intervalNs == 0, made?.isValid == true { trace.emit(.timerInvalidate, object: object) }
    }
    made = model
    trace.emit(
      .timerCreate, object: object,
      [trace.string(timer.name), timer.intervalNs, 0, moment(model.due), trace.string(timer.name)])
    return Item(model: model, object: object)
  }

  /// A moment of the model's clock, in the trace's units.
  private func moment(_ clockNs: UInt64) -> UInt64 { trace.time(clockNs &- host.startNs) }

  func makeSource(_ source: Scenario.Source, _ perform: @escaping () -> Void) -> Item<ModelSource0> {
    let object = trace.object()
    trace.emit(
      .sourceCreate, object: object,
      [trace.string(source.name), 0, UInt64(bitPattern: Int64(source.order)), trace.string(source.name)])
    let model = host.makeSource(source) { [unowned self] in
      trace.emit(.source0Begin, object: object)
      perform()
      trace.emit(.source0End, object: object)
    }
    return Item(model: model, object: object)
  }

  func makeObserver(
    _ observer: Scenario.Observer, _ callout: @escaping (Activity) -> Void
  ) -> Item<ModelObserver> {
    let object = trace.object()
    trace.emit(
      .observerCreate, object: object,
      [
        trace.string(observer.name), UInt64(observer.activities.reduce(0) { $0 | $1.rawValue }),
        UInt64(bitPattern: Int64(observer.order)),
      ])
    let model = host.makeObserver(observer) { [unowned self] activity in
      trace.emit(.observerBegin, object: object)
      callout(activity)
      trace.emit(.observerEnd, object: object)
    }
    return Item(model: model, object: object)
  }

  func add(_ timer: Item<ModelTimer>, to mode: String) {
    trace.emit(.timerAdd, object: timer.object, [trace.mode(mode), UInt64(loopObject)])
    host.add(timer.model, to: mode)
  }
  func add(_ source: Item<ModelSource0>, to mode: String) {
    trace.emit(.sourceAdd, object: source.object, [trace.mode(mode), UInt64(loopObject)])
    host.add(source.model, to: mode)
  }
  func add(_ observer: Item<ModelObserver>, to mode: String) { host.add(observer.model, to: mode) }

  func remove(_ timer: Item<ModelTimer>, from mode: String) {
    trace.emit(.timerRemove, object: timer.object, [trace.mode(mode)])
    host.remove(timer.model, from: mode)
  }
  func remove(_ source: Item<ModelSource0>, from mode: String) {
    trace.emit(.sourceRemove, object: source.object, [trace.mode(mode)])
    host.remove(source.model, from: mode)
  }
  func remove(_ observer: Item<ModelObserver>, from mode: String) { host.remove(observer.model, from: mode) }

  func invalidate(_ timer: Item<ModelTimer>) {
    if timer.model.isValid { trace.emit(.timerInvalidate, object: timer.object) }
    host.invalidate(timer.model)
  }
  func invalidate(_ source: Item<ModelSource0>) {
    if source.model.isValid { trace.emit(.sourceInvalidate, object: source.object) }
    host.invalidate(source.model)
  }
  func invalidate(_ observer: Item<ModelObserver>) { host.invalidate(observer.model) }

  func signal(_ source: Item<ModelSource0>) {
    trace.emit(.sourceSignal, object: source.object)
    host.signal(source.model)
  }

  func reschedule(_ timer: Item<ModelTimer>, inNs: Int64, isOnLoopsThread: Bool) {
    host.reschedule(timer.model, inNs: inNs, isOnLoopsThread: isOnLoopsThread)
    trace.emit(.timerReschedule, object: timer.object, [moment(timer.model.due)])
  }

  // MARK: The loop

  func wakeUp() {
    trace.emit(.loopWakeUp, object: loopObject)
    host.wakeUp()
  }

  func stop() {
    trace.emit(.loopStop, object: loopObject)
    host.stop()
  }

  func perform(inModes modes: [String], _ body: @escaping () -> Void) {
    let object = makeBlock("block")
    host.perform(inModes: modes) { [unowned self] in
      trace.emit(.blockBegin, object: object)
      body()
      trace.emit(.blockEnd, object: object)
    }
  }

  func performOnMainQueue(_ body: @escaping () -> Void) {
    let object = makeBlock("main-queue block")
    host.performOnMainQueue { [unowned self] in
      trace.emit(.mainQueueBlockBegin, object: object)
      body()
      trace.emit(.mainQueueBlockEnd, object: object)
    }
  }

  private func makeBlock(_ name: String) -> UInt32 {
    let object = trace.object()
    trace.emit(.blockCreate, object: object, [trace.string(name), UInt64(loopObject)])
    return object
  }

  func addCommonMode(_ mode: String) {
    emitCommon(mode)
    host.addCommonMode(mode)
  }

  func run(mode: String, forNs: UInt64?, returnsAfterSource: Bool) -> Int {
    trace.emitInMode(mode, .runBegin, object: loopObject, [forNs ?? .max, returnsAfterSource ? 1 : 0])
    let result = host.run(mode: mode, forNs: forNs, returnsAfterSource: returnsAfterSource)
    trace.emitInMode(mode, .runEnd, object: loopObject, [UInt64(result)])
    return result
  }

  private var taskObjects: [String: UInt32] = [:]
  private var serviceObjects: [String: UInt32] = [:]

  func note(_ note: HostNote) {
    switch note {
    case .mark(let name): trace.emit(.mark, [trace.string(name)])
    case .lifeCycle(let phase): trace.emit(.lifeCycle, [phase.rawValue])
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
