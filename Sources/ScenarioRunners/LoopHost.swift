import Scenario

/// A run loop that scenarios run on: the real one, or the model.
///
/// Items are handles of its own. Everything is called on the loop's thread, or by `at` on another one.
package protocol LoopHost: AnyObject {
  associatedtype Timer
  associatedtype Source
  associatedtype Observer

  /// Nanoseconds since the scenario began.
  var nowNs: UInt64 { get }
  /// Lets time pass on the calling thread.
  func spend(_ work: Scenario.Work, ns: UInt64)
  /// The process stands still.
  func suspend(ns: UInt64)
  /// Another thread calls `body` when the scenario is `ns` old; what is called so is called in order, one at a time.
  func at(_ ns: UInt64, _ body: @escaping () -> Void)

  /// The first due point is `firstNs` from now.
  func makeTimer(_ timer: Scenario.Timer, _ callout: @escaping () -> Void) -> Timer
  func makeSource(_ source: Scenario.Source, _ perform: @escaping () -> Void) -> Source
  func makeObserver(_ observer: Scenario.Observer, _ callout: @escaping (Activity) -> Void)
    -> Observer

  func add(_ timer: Timer, to mode: String)
  func add(_ source: Source, to mode: String)
  func add(_ observer: Observer, to mode: String)
  func remove(_ timer: Timer, from mode: String)
  func remove(_ source: Source, from mode: String)
  func remove(_ observer: Observer, from mode: String)
  func invalidate(_ timer: Timer)
  func invalidate(_ source: Source)
  func invalidate(_ observer: Observer)

  func signal(_ source: Source)
  func reschedule(_ timer: Timer, inNs: Int64, isOnLoopsThread: Bool)
  func wakeUp()
  func stop()
  func perform(inModes modes: [String], _ body: @escaping () -> Void)
  func performOnMainQueue(_ body: @escaping () -> Void)
  func addCommonMode(_ mode: String)
  /// Returns CFRunLoopRunResult.
  func run(mode: String, forNs: UInt64?, returnsAfterSource: Bool) -> Int

  /// Told, for whoever records.
  func note(_ note: HostNote)
}

/// What the program says about itself.
package enum HostNote {
  case mark(String)
  case lifeCycle(LifePhase)
  case taskBegins(Scenario.Task)
  case taskEnds(Scenario.Task)
  case taskExpires(Scenario.Task)
  case serviceStarts(Scenario.Service)
  case serviceHalts(Scenario.Service)
}
