import CoreFoundation
import Dispatch
import Foundation

/// Work of the main loop, queued in every possible way. Each function creates one piece, which has its name.
enum Work {
  nonisolated(unsafe) static var milliseconds: UInt32 = 0
  nonisolated(unsafe) static var done = 0
  nonisolated(unsafe) static var kept: [Any] = []
  private static let group = DispatchGroup()

  static let kinds: [(name: String, start: @Sendable () -> Void)] = [
    ("async", async), ("asyncInGroup", asyncInGroup), ("workItem", workItem), ("sync", sync),
    ("operation", operation), ("notification", notification), ("mainActorTask", mainActorTask),
    ("dispatchTimer", dispatchTimer), ("loopTimer", loopTimer), ("asyncWithFlags", asyncWithFlags),
    ("asyncAfter", asyncAfter), ("syncWithResult", syncWithResult), ("groupNotify", groupNotify),
    ("itemNotify", itemNotify), ("ownOperation", ownOperation), ("mainActorFunction", mainActorFunction),
    ("taskGoesOn", taskGoesOn), ("targetQueue", targetQueue), ("perform", perform), ("source", source),
    ("barrier", barrier), ("itemSync", itemSync),
  ]
  /// The number of kinds that the documentation shows.
  static let nine = 9

  static func nap() {
    usleep(milliseconds * 1000)
    done += 1
  }

  @Sendable @inline(never) static func async() { DispatchQueue.main.async { nap() } }

  @Sendable @inline(never) static func asyncInGroup() { DispatchQueue.main.async(group: group) { nap() } }

  @Sendable @inline(never) static func workItem() {
    let item = DispatchWorkItem { nap() }
    DispatchQueue.main.async(execute: item)
  }

  @Sendable @inline(never) static func sync() { Thread { DispatchQueue.main.sync { nap() } }.start() }

  @Sendable @inline(never) static func operation() { OperationQueue.main.addOperation { nap() } }

  @Sendable @inline(never) static func notification() {
    let name = Notification.Name("work")
    kept.append(
      NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { _ in nap() })
    Thread { NotificationCenter.default.post(name: name, object: nil) }.start()
  }

  @Sendable @inline(never) static func mainActorTask() { Task { @MainActor in nap() } }

  @Sendable @inline(never) static func dispatchTimer() {
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + 0.001)
    timer.setEventHandler { nap() }
    timer.resume()
    kept.append(timer)
  }

  @Sendable @inline(never) static func loopTimer() {
    kept.append(Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in nap() })
  }

  @Sendable @inline(never) static func asyncWithFlags() {
    DispatchQueue.main.async(qos: .userInteractive, flags: .enforceQoS) { nap() }
  }

  @Sendable @inline(never) static func asyncAfter() {
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.001, qos: .utility) { nap() }
  }

  @Sendable @inline(never) static func syncWithResult() {
    Thread {
      let before: Int = DispatchQueue.main.sync {
        defer { nap() }
        return done
      }
      kept.append(before)
    }.start()
  }

  @Sendable @inline(never) static func groupNotify() {
    let group = DispatchGroup()
    group.enter()
    group.notify(queue: .main) { nap() }
    group.leave()
  }

  @Sendable @inline(never) static func itemNotify() {
    let item = DispatchWorkItem {}
    item.notify(queue: .main) { nap() }
    DispatchQueue.global().async(execute: item)
  }

  final class OwnOperation: Operation, @unchecked Sendable {
    override func main() { nap() }
  }

  @Sendable @inline(never) static func ownOperation() { OperationQueue.main.addOperation(OwnOperation()) }

  @MainActor @inline(never) static func onMainActor() async { nap() }

  @Sendable @inline(never) static func mainActorFunction() {
    Task.detached { await onMainActor() }
  }

  @Sendable @inline(never) static func taskGoesOn() {
    Task { @MainActor in
      try? await Task.sleep(nanoseconds: 1000)
      nap()
    }
  }

  private static let targetingMain = DispatchQueue(label: "ends on the main queue", target: .main)

  @Sendable @inline(never) static func targetQueue() { targetingMain.async { nap() } }

  @Sendable @inline(never) static func perform() { RunLoop.main.perform { nap() } }

  @Sendable @inline(never) static func source() {
    var context = CFRunLoopSourceContext()
    context.perform = { _ in Work.nap() }
    guard let source = CFRunLoopSourceCreate(nil, 0, &context) else { return }
    CFRunLoopAddSource(CFRunLoopGetMain(), source, kCFRunLoopDefaultMode)
    CFRunLoopSourceSignal(source)
    kept.append(source)
  }

  @Sendable @inline(never) static func barrier() { DispatchQueue.main.async(flags: .barrier) { nap() } }

  @Sendable @inline(never) static func itemSync() {
    Thread {
      let item = DispatchWorkItem { nap() }
      DispatchQueue.main.sync(execute: item)
    }.start()
  }
}

extension LoopPrograms {
  /// Runs COUNT kinds of work one after another. Each sleeps for MILLISECONDS.
  static func work(_ arguments: [String]) {
    let count = Int(arguments.first ?? "") ?? Work.nine
    Work.milliseconds = UInt32(arguments.dropFirst().first ?? "") ?? 300
    nonisolated(unsafe) var started = 0
    // Each piece starts after the previous one has finished, so no two run in one pass.
    let pace = Timer.scheduledTimer(withTimeInterval: 0.005, repeats: true) { _ in
      guard started == Work.done, started < min(count, Work.kinds.count) else { return }
      started += 1
      Work.kinds[started - 1].start()
    }
    while Work.done < min(count, Work.kinds.count) {
      _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
    }
    pace.invalidate()
    print("done \(Work.done): " + Work.kinds.prefix(Work.done).map(\.name).joined(separator: " "))
  }

  /// Main-queue work from before the first use of a run loop.
  static func early(_ arguments: [String]) {
    Work.milliseconds = 1
    Work.async()
    Work.workItem()
    Work.operation()
    Work.mainActorTask()
    while Work.done < 4 { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05)) }
    print("done \(Work.done)")
  }

  /// A 10 ms timer of the main queue that is late, suspended and cancelled. Prints the number of fires and of missed
  /// points, without those during the suspension.
  static func dispatchTimer(_ arguments: [String]) {
    let timer = DispatchSource.makeTimerSource(queue: .main)
    nonisolated(unsafe) var fires = 0
    nonisolated(unsafe) var missed: UInt = 0
    nonisolated(unsafe) var isResumed = false
    timer.schedule(deadline: .now() + 0.02, repeating: 0.01)
    timer.setEventHandler {
      fires += 1
      if !isResumed { missed += timer.data - 1 }
      isResumed = false
      if fires == 3 { usleep(35_000) }
      if fires == 6 {
        timer.suspend()
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.05) {
          isResumed = true
          timer.resume()
        }
      }
      if fires == 10 { timer.cancel() }
    }
    timer.resume()
    while !timer.isCancelled {
      _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
    }
    print(fires, missed)
  }

  /// Different closures and loops with the same short names.
  static func same(_ arguments: [String]) {
    nonisolated(unsafe) var fires = 0
    @Sendable func tick(_ number: Int) -> Timer {
      Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in fires += number }
    }
    @Sendable func tick(_ text: String) -> Timer {
      Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in fires += text.count }
    }
    let group = DispatchGroup()
    for _ in 0..<3 {
      group.enter()
      let thread = Thread {
        let timer = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in }
        _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
        withExtendedLifetime(timer) { group.leave() }
      }
      thread.start()
    }
    group.wait()
    let timers = [tick(1), tick("two")]
    while fires < 4 { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05)) }
    withExtendedLifetime(timers) { print("fires \(fires)") }
  }

  /// The callout of a socket through its run-loop source, and Foundation's own source for a Process.
  @inline(never) static func socket(_ arguments: [String]) {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { exit(1) }
    let readCallBack: CFOptionFlags = 1
    let socket = CFSocketCreateWithNative(nil, ends[0], readCallBack, socketIsReadable, nil)
    let source = CFSocketCreateRunLoopSource(nil, socket, 0)
    CFRunLoopAddSource(CFRunLoopGetMain(), source, kCFRunLoopDefaultMode)
    write(ends[1], "x", 1)
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/bin/true")
    guard (try? child.run()) != nil else { exit(1) }
    while Work.done < 1 { CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.05, true) }
    child.waitUntilExit()
    print("readable \(Work.done) child \(child.terminationStatus)")
  }
}

private func socketIsReadable(
  _ socket: CFSocket?, _ type: CFSocketCallBackType, _ address: CFData?, _ data: UnsafeRawPointer?,
  _ info: UnsafeMutableRawPointer?
) {
  Work.done += 1
  CFSocketInvalidate(socket)
}
