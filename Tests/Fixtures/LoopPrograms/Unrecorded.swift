import CoreFoundation
import Foundation

/// Uses everything that the recorder wraps at times when nothing is recorded: before the first run, after it, in
/// children, at exit, in a signal handler. Items that were wrapped in one process or recording may run, be cancelled
/// or be released in another.
enum Unrecorded {
  static func run(_ arguments: [String]) {
    switch arguments.first {
    case "never": use()
    case "before":
      use()
      touch()
      print("fires \(LoopPrograms.runTimer(2))")
      use()
    case "child": child { use() }
    case "inherited": inherited(runsLoop: false)
    case "inherited-run": inherited(runsLoop: true)
    case "in-callout": inCallout(arguments.dropFirst().first ?? "timer")
    case "exit":
      if arguments.count > 1 { print("fires \(LoopPrograms.runTimer(2))") }
      atexit { Unrecorded.use() }
    case "thread-end":
      _ = LoopPrograms.runTimer(2)
      threadEnd()
    case "signal": inHandler()
    case "stopped": stopped(seconds: Double(arguments.dropFirst().first ?? "") ?? 1)
    default: print("never before child inherited inherited-run in-callout exit thread-end signal stopped")
    }
  }

  /// Uses operations, blocks, work items, sources, timers and jobs without a loop.
  static func use() {
    let queue = OperationQueue()
    let counter = Counter()
    for _ in 0..<20 { queue.addOperation { counter.add(1) } }
    let waits = BlockOperation { counter.add(1000) }
    waits.addDependency(BlockOperation {})
    queue.addOperation(waits)
    waits.cancel()
    queue.waitUntilAllOperationsAreFinished()

    let group = DispatchGroup()
    for number in 0..<20 {
      let item = DispatchWorkItem { counter.add(1) }
      if number % 4 == 0 { item.cancel() }
      DispatchQueue.global().async(group: group, execute: item)
    }
    var kept: DispatchWorkItem? = DispatchWorkItem { counter.add(1) }
    kept?.perform()
    kept = nil
    _ = DispatchWorkItem { counter.add(1000) }
    group.wait()

    let timer = DispatchSource.makeTimerSource(queue: .global())
    let fired = DispatchSemaphore(value: 0)
    timer.schedule(deadline: .now(), repeating: 0.001)
    timer.setEventHandler { fired.signal() }
    timer.setCancelHandler { fired.signal() }
    timer.resume()
    fired.wait()
    timer.cancel()
    fired.wait()

    let done = DispatchSemaphore(value: 0)
    Task.detached {
      counter.add(1); done.signal()
    }
    done.wait()
    // This work never runs: it is queued, cancelled and released.
    let late = DispatchWorkItem { counter.add(1000) }
    DispatchQueue.main.asyncAfter(deadline: .now() + 100, execute: late)
    late.cancel()
    DispatchQueue(label: "released", target: .main).async { counter.add(1000) }
    let mainTimer = DispatchSource.makeTimerSource(queue: .main)
    mainTimer.schedule(deadline: .now(), repeating: 0.001)
    mainTimer.setEventHandler { counter.add(1000) }
    mainTimer.resume()
    mainTimer.cancel()
    print("used \(counter.value)")
  }

  /// Uses items of a loop that does not run.
  static func touch() {
    let timer = Timer(timeInterval: 0.001, repeats: true) { _ in }
    RunLoop.main.add(timer, forMode: .default)
    timer.invalidate()
    var context = CFRunLoopSourceContext()
    context.perform = { _ in }
    let source = CFRunLoopSourceCreate(nil, 0, &context)
    CFRunLoopAddSource(CFRunLoopGetMain(), source, kCFRunLoopDefaultMode)
    CFRunLoopSourceSignal(source)
    CFRunLoopSourceInvalidate(source)
    RunLoop.main.perform(inModes: [RunLoop.Mode("never")]) {}
    CFRunLoopWakeUp(CFRunLoopGetMain())
  }

  private static func child(_ body: () -> Void) {
    fflush(stdout)
    let child = forkProcess()
    if child == 0 {
      body()
      fflush(stdout)
      _exit(7)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    print("child \(status)")
  }

  /// A child inherits the work that its parent queued, and its sources and timers.
  private static func inherited(runsLoop: Bool) {
    let counter = Counter()
    _ = LoopPrograms.runTimer(2)
    for _ in 0..<4 {
      CFRunLoopPerformBlock(CFRunLoopGetMain(), kCFRunLoopDefaultMode) { counter.add(1) }
      DispatchQueue.main.async { counter.add(1) }
    }
    var held: [DispatchWorkItem] = (0..<4).map { _ in DispatchWorkItem { counter.add(1) } }
    for item in held { DispatchQueue.main.asyncAfter(deadline: .now() + 100, execute: item) }
    var context = CFRunLoopSourceContext()
    context.perform = { _ in }
    let source = CFRunLoopSourceCreate(nil, 0, &context)
    CFRunLoopAddSource(CFRunLoopGetMain(), source, kCFRunLoopDefaultMode)
    child {
      for item in held { item.cancel() }
      held[0].perform()
      held = []
      CFRunLoopSourceSignal(source)
      if runsLoop {
        CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false)
        CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false)
      }
      CFRunLoopSourceInvalidate(source)
      print("ran \(counter.value > 0)")
    }
    CFRunLoopSourceInvalidate(source)
    for _ in 0..<4 { CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.01, false) }
    print("ran \(counter.value)")
  }

  /// A callout of KIND forks, and the child returns from it.
  private static func inCallout(_ kind: String) {
    nonisolated(unsafe) var child: Int32?
    let fork: @Sendable () -> Void = {
      fflush(stdout)
      child = forkProcess()
    }
    switch kind {
    case "block": RunLoop.main.perform(fork)
    case "item": DispatchQueue.main.async(execute: fork)
    default: _ = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in fork() }
    }
    // A child shares its parent's descriptors, so it must not wait.
    while child == nil {
      CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false)
      usleep(1000)
    }
    print(child == 0 ? "child" : "parent")
    fflush(stdout)
    if child == 0 { _exit(0) }
    waitpid(child!, nil, 0)
  }

  private static func threadEnd() {
    let ended = DispatchSemaphore(value: 0)
    for number in 0..<8 {
      let thread = Thread {
        let loop = RunLoop.current
        RunLoop.current.add(Timer(timeInterval: 100, repeats: true) { _ in }, forMode: .default)
        if number % 2 == 0 {
          _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.001))
        }
        loop.perform { print("never") }
        Thread.current.threadDictionary["at the end"] = AtEnd { ended.signal() }
      }
      thread.start()
    }
    for _ in 0..<8 { ended.wait() }
    print("ended")
  }

  private final class AtEnd {
    let then: () -> Void
    init(_ then: @escaping () -> Void) { self.then = then }
    deinit {
      DispatchQueue.main.async {}
      CFRunLoopWakeUp(CFRunLoopGetMain())
      then()
    }
  }

  /// A signal handler stops and wakes loops.
  private static func inHandler() {
    signal(SIGUSR1) { _ in
      CFRunLoopStop(CFRunLoopGetMain())
      CFRunLoopWakeUp(CFRunLoopGetMain())
    }
    kill(getpid(), SIGUSR1)
    let timer = Timer.scheduledTimer(withTimeInterval: 0.005, repeats: true) { _ in kill(getpid(), SIGUSR1) }
    for _ in 0..<5 { CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.05, false) }
    timer.invalidate()
    print("handled")
  }

  /// Runs for `seconds`, even after the recording has ended.
  private static func stopped(seconds: Double) {
    let end = Date(timeIntervalSinceNow: seconds)
    while Date() < end {
      _ = LoopPrograms.runTimer(3)
      touch()
      let item = DispatchWorkItem {}
      DispatchQueue.main.async(execute: item)
      DispatchQueue.main.asyncAfter(deadline: .now() + 0.01) {}
      RunLoop.main.perform {}
      item.cancel()
    }
    use()
  }

  private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0
    var value: Int { lock.withLock { count } }
    func add(_ number: Int) { lock.withLock { count += number } }
  }
}
