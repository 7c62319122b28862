import CRLTraceShims
import Dispatch
import SystemSupport
import TraceFormat

/// The thread that empties a spool's rings while they are being filled, in the recorded process or in another one.
package final class Drain: @unchecked Sendable {
  /// The first sleep while the rings have little to read. The drain does not sleep if the fullest ring is as full as
  /// `Pressure.lateShare`.
  private static let shortestSleepNs: UInt64 = 1_000_000
  /// The same under pressure. A thread that does nothing else fills less than a seventh of its ring meanwhile.
  /// Otherwise it would fill a quarter and wake the drain, which may then run on that thread's processor.
  private static let shortestSleepUnderPressureNs: UInt64 = 200_000
  /// The longest sleep if the recorded threads are in another process and cannot wake the drain. A saturated loop
  /// fills a ring of 131,072 slots in about 20 ms; the drain must come back before that.
  private static let longestSleepNs: UInt64 = 8_000_000
  /// The longest sleep if the recorded threads wake the drain when a quarter of a ring is filled.
  private static let longestSleepIfCalledNs: UInt64 = 250_000_000

  /// A full disk at the end of a recording may have room again a second later.
  private static let lastAttempts = 10

  private let spool: Spool
  private let sink: any ByteSink & Sendable
  private let makeReader: @Sendable () -> SpoolReader
  private let snapshots: Snapshots?
  private let isCalled: Bool
  private let compressesAlways: Bool
  private let wake = DispatchSemaphore(value: 0)
  private let isStopRequested = AtomicFlag(false)
  private let isTraceWanted = AtomicFlag(true)
  private let isHurried = AtomicFlag(false)
  /// The callers that wait until everything is written.
  private let waiting = Locked<[DispatchSemaphore]>([])
  private let done = DispatchSemaphore(value: 0)
  private let hasResult = AtomicFlag(false)
  private var result: Result?
  /// Used by the drain thread once it runs.
  private var memory: MemoryAhead?

  /// `isCalled`: the recorded threads are in this process and wake the drain. `compressesAlways`: as in
  /// `RecordingOptions`.
  init(
    spool: Spool, isCalled: Bool, compressesAlways: Bool = false, snapshots: Snapshots? = nil,
    sink: any ByteSink & Sendable, makeReader: @escaping @Sendable () -> SpoolReader
  ) {
    self.spool = spool
    self.isCalled = isCalled
    self.compressesAlways = compressesAlways
    self.snapshots = snapshots
    self.sink = sink
    self.makeReader = makeReader
    memory = MemoryAhead(spool)
  }

  struct Result {
    var failure: TraceFormatError?
    var summary: RecordingSummary
  }

  /// Asks the thread to stop. If `keeping` is false, no trace is written.
  func requestStop(keeping: Bool = true) {
    isTraceWanted.isSet = keeping
    isStopRequested.isSet = true
    wake.signal()
  }

  /// Makes the drain empty the rings now. `flushes`: it also gives their slots back.
  func call(flushes: Bool) {
    if flushes { isHurried.isSet = true }
    wake.signal()
  }

  /// Writes everything that was stored before this call, and returns when that is done or the drain has ended.
  func flush() {
    let isWritten = DispatchSemaphore(value: 0)
    waiting.withLock { $0.append(isWritten) }
    wake.signal()
    // The drain may have ended just before.
    while isWritten.wait(timeout: .now() + .milliseconds(100)) == .timedOut, !isDone {}
  }

  private func takeWaiting() -> [DispatchSemaphore] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }

  var isDone: Bool { hasResult.isSet }

  func waitUntilDone() -> Result {
    done.wait()
    // The semaphore orders the drain's last writes before this read.
    return result!
  }

  /// Starts the thread. Prepares memory for the first events beforehand.
  func start() throws(RecordingError) {
    memory?.prepare()
    do {
      try NativeThread("rltrace-drain") { self.run() }.detach()
    } catch {
      throw .noThread(code: error.code)
    }
  }

  private func run() {
    let reader = makeReader()
    if !compressesAlways { reader.pressure = Pressure() }
    var isStopping = waitForCalibration()
    reader.calibrate(laterReading())
    var sleepNs = Drain.shortestSleepNs
    while !isStopping {
      let isHurried = isHurried.exchange(false)
      let waiting = takeWaiting()
      let busiest = reader.cycle(.now(usesCycles: spool.usesCycles))
      if isHurried || !waiting.isEmpty { reader.flushAll() }
      for isWritten in waiting { isWritten.signal() }
      snapshots?.take(from: reader)
      memory?.prepare()
      let longestNs = isCalled ? Drain.longestSleepIfCalledNs : Drain.longestSleepNs
      let shortestNs =
        reader.isUnderPressure ? Drain.shortestSleepUnderPressureNs : Drain.shortestSleepNs
      sleepNs =
        busiest >= Pressure.lateShare
        ? 0 : busiest > 0.02 ? shortestNs : min(sleepNs * 2 + 1_000_000, longestNs)
      if isCalled, rlt_life_is_quiet() != 0, sleepNs == longestNs {
        restInBackground(reader)
      } else {
        _ = wake.wait(timeout: .now() + .nanoseconds(Int(sleepNs)))
      }
      isStopping = isStopRequested.isSet
    }
    _ = reader.cycle(.now(usesCycles: spool.usesCycles))
    if isTraceWanted.isSet {
      snapshots?.take(from: reader)
      finish(reader)
    } else {
      reader.discard()
      sink.discard()
    }
    var summary = reader.summary
    summary.drainCPUNs = rlt_thread_cpu_ns()
    summary.lostForRoom = spool.lostForRoom
    summary.cut = reader.spool.cut
    result = Result(failure: reader.output.failure, summary: summary)
    hasResult.isSet = true
    done.signal()
  }

  /// Writes everything and sleeps until a thread wakes the drain. The system may suspend the app now, and terminates it
  /// if it holds a file lock while suspended.
  private func restInBackground(_ reader: SpoolReader) {
    reader.flushAll()
    sink.unlock()
    wake.wait()
    sink.lock()
  }

  private func finish(_ reader: SpoolReader) {
    var attempts = 1
    while !reader.finish(), reader.output.lacksRoom, attempts < Drain.lastAttempts {
      attempts += 1
      usleep(100_000)
    }
    reader.output.giveUp()
    // The events written so far and the spool make a trace as soon as there is room for it.
    if reader.output.failure != nil { sink.leave() }
  }

  /// Waits for the second clock reading. Nothing can be drained without a clock line, and the line needs two readings
  /// that are far apart. Returns early if a program fills its rings right away, or if a caller waits. Returns true if
  /// the recording was stopped meanwhile.
  private func waitForCalibration() -> Bool {
    let end = spool.origin.monotonicNs &+ TickClock.calibrationNs
    while !isStopRequested.isSet, rlt_monotonic_ns() < end, !spool.isFilling,
      waiting.withLock({ $0.isEmpty })
    {
      memory?.prepare()
      _ = wake.wait(timeout: .now() + .nanoseconds(Int(Drain.shortestSleepNs)))
    }
    return isStopRequested.isSet
  }

  private func laterReading() -> ClockReading {
    // Even a recording of microseconds needs a slope. After 2 ms, the error of a reading is at most 25 ppm.
    while spool.usesCycles, rlt_monotonic_ns() - spool.origin.monotonicNs < 2_000_000 { usleep(200) }
    let later = ClockReading.now(usesCycles: spool.usesCycles)
    // A process that has to finish this recording uses the same line.
    spool.later = later
    return later
  }
}
