// Programs that are recorded unmodified, with plain Foundation and no code of this project. Each prints what it
// observed itself, so that tests can compare.
import CoreFoundation
import Foundation

@main enum LoopPrograms {
  static let programs: [(name: String, run: ([String]) -> Void)] = [
    ("timers", timers), ("log", log), ("modes", modes), ("threads", threads), ("blocks", blocks),
    ("fork", forked),
    ("abort", aborted), ("stress", stress), ("count", count), ("empty", empty), ("spawn", spawn),
    ("stop", stop),
    ("interrupt", interrupt), ("names", names), ("saturate", saturate), ("dispatch", dispatch),
    ("served", Served.run),
    ("hang", hang), ("forkafter", forkedAfter), ("exitnow", exitNow), ("sleep", sleepOnly),
    ("work", work), ("early", early), ("same", same), ("socket", socket),
    ("dispatch-timer", dispatchTimer), ("spin", spin),
    ("stuck", stuck), ("inventory", inventory), ("shuffled", shuffled), ("stalls", Stalls.run),
    ("churn", Churn.run), ("idle", idle), ("confined", Confined.run),
    ("bus-error", BusError.run), ("unrecorded", Unrecorded.run),
    ("priced", Priced.run), ("nested", Nested.run), ("observed", Observed.run),
    ("queued", Queued.run), ("trap", Queued.trap), ("crowd", Queued.crowd), ("unserved", Queued.unserved),
    ("free", Queued.free),
  ]

  static func main() {
    setvbuf(stdout, nil, _IOLBF, 0)
    let arguments = CommandLine.arguments.dropFirst()
    guard let program = programs.first(where: { $0.name == arguments.first }) else {
      print("programs: " + programs.map(\.name).joined(separator: " "))
      exit(64)
    }
    program.run(Array(arguments.dropFirst()))
  }

  /// Runs COUNT fires of a 1 ms timer, and prints their number.
  static func timers(_ arguments: [String]) {
    let wanted = Int(arguments.first ?? "") ?? 100
    nonisolated(unsafe) var fires = 0
    let timer = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: true) { timer in
      fires += 1
      if fires == wanted { timer.invalidate() }
    }
    // The main loop is never empty, so its runs do not end by themselves.
    while timer.isValid { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05)) }
    print("fires \(fires)")
  }

  /// Runs COUNT fires of a 0.25 ms timer, and prints the due point of each, as CLOCK_MONOTONIC nanoseconds.
  static func log(_ arguments: [String]) {
    let wanted = Int(arguments.first ?? "") ?? 100
    nonisolated(unsafe) var dues: [Int] = []
    let timer = Timer.scheduledTimer(withTimeInterval: 0.00025, repeats: true) { timer in
      // Read again at each fire, as CoreFoundation does: the wall clock may be set between two fires.
      let anchor = wallAgainstMonotonic(tries: 5)
      dues.append(
        anchor.monotonicNs + Int((timer.fireDate.timeIntervalSinceReferenceDate - anchor.wall) * 1e9))
      if dues.count == wanted { timer.invalidate() }
    }
    while timer.isValid { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05)) }
    print(dues.map(String.init).joined(separator: "\n"))
  }

  /// Returns the same moment on both clocks, from the narrowest of several brackets.
  private static func wallAgainstMonotonic(tries: Int = 1000) -> (wall: Double, monotonicNs: Int) {
    func monotonic() -> Int {
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      return now.tv_sec * 1_000_000_000 + now.tv_nsec
    }
    var best = (width: Int.max, wall: 0.0, monotonicNs: 0)
    for _ in 0..<tries {
      let before = monotonic(), wall = CFAbsoluteTimeGetCurrent(), after = monotonic()
      if after - before < best.width { best = (after - before, wall, (before + after) / 2) }
    }
    return (best.wall, best.monotonicNs)
  }

  /// A nested run in a new mode.
  static func modes(_ arguments: [String]) {
    let custom = RunLoop.Mode("a brand new mode")
    nonisolated(unsafe) var during = 0
    nonisolated(unsafe) var outside = 0
    let inner = Timer(timeInterval: 0.01, repeats: true) { _ in during += 1 }
    RunLoop.main.add(inner, forMode: custom)
    let outer = Timer.scheduledTimer(withTimeInterval: 0.02, repeats: false) { _ in
      outside += 1
      _ = RunLoop.main.run(mode: custom, before: Date(timeIntervalSinceNow: 0.1))
    }
    _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.2))
    withExtendedLifetime((inner, outer)) { print("during \(during > 0) outside \(outside)") }
  }

  /// Loops on four threads.
  static func threads(_ arguments: [String]) {
    let group = DispatchGroup()
    for number in 0..<4 {
      group.enter()
      let thread = Thread {
        // Not Thread.name: Foundation may not know the thread's handle yet.
        if let name = fopen("/proc/thread-self/comm", "w") {
          fputs("worker \(number)", name)
          fclose(name)
        }
        nonisolated(unsafe) var fires = 0
        let timer = Timer.scheduledTimer(withTimeInterval: 0.005, repeats: true) { timer in
          fires += 1
          if fires == 5 { timer.invalidate() }
        }
        RunLoop.current.run()
        withExtendedLifetime(timer) { group.leave() }
      }
      thread.start()
    }
    group.wait()
    print("all done")
  }

  /// Blocks of the loop and of the main queue.
  static func blocks(_ arguments: [String]) {
    nonisolated(unsafe) var order: [String] = []
    RunLoop.main.perform { order.append("perform") }
    CFRunLoopPerformBlock(CFRunLoopGetMain(), kCFRunLoopDefaultMode) { order.append("block") }
    DispatchQueue.main.async { order.append("async") }
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.02) { order.append("after") }
    let item = DispatchWorkItem { order.append("item") }
    DispatchQueue.main.async(execute: item)
    let keep = Timer.scheduledTimer(withTimeInterval: 10, repeats: false) { _ in }
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.1, false)
    keep.invalidate()
    print(order.joined(separator: " "))
  }

  /// Starts this program again, as a child that runs a loop.
  static func spawn(_ arguments: [String]) {
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    child.arguments = ["timers", "7"]
    guard (try? child.run()) != nil else { exit(1) }
    child.waitUntilExit()
    let timer = Timer.scheduledTimer(withTimeInterval: 0.005, repeats: false) { _ in }
    _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02))
    withExtendedLifetime(timer) { print("child \(child.terminationStatus)") }
  }

  static func aborted(_ arguments: [String]) {
    _ = Timer.scheduledTimer(withTimeInterval: 0.02, repeats: false) { _ in abort() }
    RunLoop.main.run()
  }

  static func stop(_ arguments: [String]) {
    _ = Timer.scheduledTimer(withTimeInterval: 0.02, repeats: false) { _ in raise(SIGTSTP) }
    _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1))
    print("continued")
  }

  /// Ends at SIGINT or SIGTERM with its own status.
  static func interrupt(_ arguments: [String]) {
    signal(SIGINT) { _ in _exit(33) }
    signal(SIGTERM) { _ in _exit(44) }
    print("ready")
    _ = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: true) { _ in }
    RunLoop.main.run()
  }

  /// Foundation without a run.
  static func empty(_ arguments: [String]) { print("nothing") }

  /// COUNT runs of a mode without items.
  static func spin(_ arguments: [String]) {
    let mode = CFStringCreateWithCString(nil, "nothing here", CFStringBuiltInEncodings.UTF8.rawValue)
    var ends = 0
    for _ in 0..<(Int(arguments.first ?? "") ?? 100) where CFRunLoopRunInMode(mode, 1, false) == .finished {
      ends += 1
    }
    print("ends \(ends)")
  }

  static func dispatch(_ arguments: [String]) {
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.02) { exit(5) }
    dispatchMain()
  }

  /// Closures for the recorder to name.
  static func names(_ arguments: [String]) {
    let model = Model()
    let timers = [model.start(), model.startMethod()]
    _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
    withExtendedLifetime(timers) { print("ticks \(model.ticks)") }
  }

  final class Model: @unchecked Sendable {
    var ticks = 0

    @inline(never) func start() -> Timer {
      Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false) { [weak self] _ in self?.ticks += 1 }
    }

    @inline(never) func startMethod() -> Timer {
      Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false, block: tick)
    }

    @Sendable func tick(_ timer: Timer) { ticks += 1 }
  }

  /// Eight threads that create, fire, invalidate and release timers, and send blocks to each other.
  static func stress(_ arguments: [String]) {
    let counts = Counts()
    let group = DispatchGroup()
    for _ in 0..<8 {
      group.enter()
      Thread {
        let keep = Timer(timeInterval: 1000, repeats: true) { _ in }
        RunLoop.current.add(keep, forMode: .default)
        for _ in 0..<20 {
          for k in 0..<10 {
            let timer = Timer(timeInterval: 0.0005 * Double(k), repeats: k % 2 == 0) { timer in
              counts.addFire()
              timer.invalidate()
            }
            RunLoop.current.add(timer, forMode: .default)
            if k == 9 { timer.invalidate() }
          }
          CFRunLoopPerformBlock(CFRunLoopGetCurrent(), kCFRunLoopDefaultMode) { counts.addBlock() }
          RunLoop.main.perform { counts.addBlock() }
          CFRunLoopWakeUp(CFRunLoopGetMain())
          RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.02))
        }
        keep.invalidate()
        group.leave()
      }.start()
    }
    let keep = Timer(timeInterval: 0.02, repeats: true) { _ in }
    RunLoop.main.add(keep, forMode: .default)
    while group.wait(timeout: .now()) == .timedOut || counts.blocks < 8 * 20 * 2 {
      RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.02))
    }
    print("fires \(counts.fires) blocks \(counts.blocks)")
  }

  final class Counts: @unchecked Sendable {
    private let lock = NSLock()
    private var fireCount = 0, blockCount = 0
    func addFire() { lock.withLock { fireCount += 1 } }
    func addBlock() { lock.withLock { blockCount += 1 } }
    var fires: Int { lock.withLock { fireCount } }
    var blocks: Int { lock.withLock { blockCount } }
  }

  /// FILE [SECONDS]: counts its callouts in a shared file. The recorder stores a callout's begin before it is
  /// counted.
  static func count(_ arguments: [String]) {
    let descriptor = open(arguments[0], O_RDWR | O_CREAT, 0o600)
    ftruncate(descriptor, 16)
    let memory = mmap(nil, 16, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)!
    let counter = memory.bindMemory(to: UInt64.self, capacity: 2)
    var context = CFRunLoopSourceContext()
    context.info = UnsafeMutableRawPointer(counter)
    context.perform = { info in
      let counter = info!.assumingMemoryBound(to: UInt64.self)
      // The begin of the current callout is already stored, and so is the end of the previous one.
      counter[0] += 1
      CFRunLoopSourceSignal(LoopPrograms.counted)
      if counter[0] % 64 == 0 { usleep(200) }
    }
    counted = CFRunLoopSourceCreate(nil, 0, &context)
    CFRunLoopAddSource(CFRunLoopGetMain(), counted, kCFRunLoopDefaultMode)
    CFRunLoopSourceSignal(counted)
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, Double(arguments.dropFirst().first ?? "") ?? 60, false)
  }

  nonisolated(unsafe) static var counted: CFRunLoopSource!

  /// Runs as many passes as possible in SECONDS, and prints their number.
  static func saturate(_ arguments: [String]) {
    var context = CFRunLoopSourceContext()
    context.perform = { _ in
      LoopPrograms.passes += 1
      CFRunLoopSourceSignal(LoopPrograms.counted)
    }
    counted = CFRunLoopSourceCreate(nil, 0, &context)
    CFRunLoopAddSource(CFRunLoopGetMain(), counted, kCFRunLoopDefaultMode)
    CFRunLoopSourceSignal(counted)
    let start = Date()
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, Double(arguments.first ?? "") ?? 1, false)
    print("passes_per_s \(Int(Double(passes) / -start.timeIntervalSinceNow))")
  }

  nonisolated(unsafe) static var passes = 0

  /// A 10 ms timer for SECONDS; one of its callouts sleeps for 300 ms.
  static func hang(_ arguments: [String]) {
    nonisolated(unsafe) var fires = 0
    let hangUs = (arguments.dropFirst().first.flatMap { UInt32($0) } ?? 300) * 1000
    let timer = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: true) { _ in
      fires += 1
      if fires == 20 { usleep(hangUs) }
    }
    let end = Date(timeIntervalSinceNow: Double(arguments.first ?? "") ?? 1)
    // A single run to the end: it begins before the part that the recorder keeps.
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, end.timeIntervalSinceNow, false)
    timer.invalidate()
    print("hung")
  }
}

#if canImport(Glibc)
// Swift does not import fork(2), because a forked child may call few functions. This one only calls functions that
// CoreFoundation supports there.
@_silgen_name("fork") func forkProcess() -> Int32
#else
func forkProcess() -> Int32 { -1 }
#endif

extension LoopPrograms {
  /// Forks before it first uses a run loop. The parent and the child run loops.
  static func forked(_ arguments: [String]) {
    let child = forkProcess()
    if child == 0 { _exit(Int32(runTimer(4))) }
    let parent = runTimer(3)
    // A second child, forked after the process has run loops. The child may not run a loop, and only exits.
    let second = forkProcess()
    if second == 0 { _exit(9) }
    var statuses: [Int32] = []
    for process in [child, second] {
      var status: Int32 = 0
      waitpid(process, &status, 0)
      statuses.append(status >> 8 & 0xFF)
    }
    print("parent \(parent) then \(runTimer(2)) children \(statuses)")
  }
}
