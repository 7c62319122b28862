import CRLTraceShims
import CoreFoundation
import RunLoopTrace
import TraceGate

/// One body that is recorded and judged, from its beginning to its end on the thread of its loop.
final class BudgetRun {
  let tracer: RunLoopTracer
  private let name: String
  private let rules: BudgetRules
  private let osThread = rlt_os_thread_id()
  private let interval: IntervalMark
  /// The same interval in the trace of `rltrace record`, if that records the tests.
  private let outside: IntervalMark?
  private let watch: BudgetWatchdog.Watch?

  /// Begins on the calling thread. Throws if the program is already recording itself.
  init(_ name: String, _ rules: BudgetRules) throws(RecordingError) {
    self.name = name
    self.rules = rules
    tracer = try SharedRecording.join()
    tracer.observeModes(of: CFRunLoopGetCurrent())
    watch =
      rules.settings.aborts
      ? BudgetWatchdog.begin(name: name, osThread: osThread, limitNs: rules.shortestLimitNs) : nil
    outside = (try? RunLoopTracer.outside())?.beginInterval(TestInterval.name(name))
    // The interval is the last thing that begins and the first that ends, so it contains only the body.
    interval = tracer.beginInterval(TestInterval.name(name))
  }

  /// Ends on the same thread, and judges the time since it began.
  func end() -> BudgetVerdict {
    interval.end()
    outside?.end()
    watch?.end()
    // The loop of a thread that ends is no longer needed. The main loop is needed for further tests.
    if CFRunLoopGetCurrent() !== CFRunLoopGetMain() { tracer.forget(CFRunLoopGetCurrent()) }
    return BudgetVerdict(SharedRecording.leave(), TestInterval.name(name), osThread, rules)
  }
}
