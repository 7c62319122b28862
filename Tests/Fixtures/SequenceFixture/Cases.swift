import CoreFoundation
import Foundation
import RunLoopTrace

typealias Case = (name: String, body: @Sendable (RunLoopTracer) -> Void)

/// Dates far enough apart that a busy machine keeps the order.
private let tick = 0.04

/// Adds a source that never fires and keeps a mode from being empty.
private func keepAlive(_ tracer: RunLoopTracer, mode: String = ModeName.default) {
  tracer.source0(name: "keep-alive") {}.add(mode: mode)
}

private func now() -> CFAbsoluteTime { CFAbsoluteTimeGetCurrent() }

private func pastTimer(_ tracer: RunLoopTracer, _ name: String, handler: @escaping () -> Void = {})
  -> TracedTimer
{
  let timer = tracer.timer(name: name, interval: 0, firstFire: now() - 1, handler: handler)
  timer.add(mode: ModeName.default)
  return timer
}

private func spin(_ seconds: Double) {
  let end = now() + seconds
  while now() < end {}
}

let secondaryCases: [Case] = [
  (
    "one-shot",
    { tracer in
      tracer.timer(name: "once", interval: 0, firstFire: now() + tick) {}.add(mode: ModeName.default)
      tracer.run(seconds: 10)
    }
  ),
  (
    "repeating",
    { tracer in
      let timer = tracer.timer(name: "tick", interval: tick) {}
      timer.add(mode: ModeName.default)
      tracer.run(seconds: 3.5 * tick)
      timer.invalidate()
    }
  ),
  (
    "source0-return",
    { tracer in
      let source = tracer.source0(name: "source") {}
      source.add(mode: ModeName.default)
      source.signal()
      tracer.run(seconds: 1, returnAfterSourceHandled: true)
    }
  ),
  (
    "source0-stay",
    { tracer in
      let source = tracer.source0(name: "source") {}
      source.add(mode: ModeName.default)
      source.signal()
      tracer.run(seconds: tick)
    }
  ),
  (
    "source0-from-thread",
    { tracer in
      let source = tracer.source0(name: "source") {}
      source.add(mode: ModeName.default)
      let loop = SendableLoop(CFRunLoopGetCurrent())
      Thread {
        usleep(UInt32(tick * 1e6))
        source.signal()
        tracer.wakeUp(loop.loop)
      }.start()
      tracer.run(seconds: 5, returnAfterSourceHandled: true)
    }
  ),
  (
    "block",
    { tracer in
      tracer.perform(name: "block") {}
      tracer.run(seconds: tick)
    }
  ),
  (
    "block-from-timer",
    { tracer in
      tracer.timer(name: "once", interval: 0, firstFire: now() + tick) { tracer.perform(name: "block") {} }
        .add(mode: ModeName.default)
      tracer.run(seconds: 2 * tick)
    }
  ),
  (
    "stop-in-timer",
    { tracer in
      tracer.timer(name: "tick", interval: tick) { tracer.stop(loop: CFRunLoopGetCurrent()) }.add(
        mode: ModeName.default)
      tracer.run(seconds: 10)
    }
  ),
  (
    "stop-in-entry",
    { tracer in
      keepAlive(tracer)
      let observer = CFRunLoopObserverCreateWithHandler(nil, CFRunLoopActivity.entry.rawValue, false, 0) {
        _, _ in
        tracer.stop(loop: CFRunLoopGetCurrent())
      }
      CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopDefaultMode)
      tracer.run(seconds: 1)
    }
  ),
  ("empty", { tracer in tracer.run(seconds: 1) }),
  ("unknown-mode", { tracer in tracer.run(mode: "nobody made this mode", seconds: 1) }),
  (
    "observer-only",
    { tracer in
      let observer = CFRunLoopObserverCreateWithHandler(
        nil, CFRunLoopActivity.allActivities.rawValue, true, 0
      ) { _, _ in }
      CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopDefaultMode)
      tracer.run(seconds: 1)
    }
  ),
  (
    "poll",
    { tracer in
      keepAlive(tracer)
      tracer.run(seconds: 0)
    }
  ),
  (
    "poll-three-timers",
    { tracer in
      let timers = ["a", "b", "c"].map { pastTimer(tracer, $0) }
      tracer.run(seconds: 0)
      _ = timers
    }
  ),
  (
    "source0-and-timer",
    { tracer in
      keepAlive(tracer)
      let source = tracer.source0(name: "source") {}
      source.add(mode: ModeName.default)
      let timer = pastTimer(tracer, "due")
      source.signal()
      tracer.run(seconds: tick)
      _ = timer
    }
  ),
  (
    "source1",
    { tracer in
      // The loop acknowledges by reading 8 bytes.
      var ends: [Int32] = [0, 0]
      pipe(&ends)
      let source = tracer.source1(name: "port", port: ends[0]) {}
      source.add(mode: ModeName.default)
      var word: UInt64 = 1
      write(ends[1], &word, 8)
      tracer.run(seconds: 1, returnAfterSourceHandled: true)
      source.invalidate()
      close(ends[0])
      close(ends[1])
    }
  ),
  (
    "overrun-once",
    { tracer in
      let fires = Counter()
      let timer = tracer.timer(name: "tick", interval: tick) {
        fires.count += 1
        if fires.count == 2 { spin(5.5 * tick) }
      }
      timer.add(mode: ModeName.default)
      tracer.run(seconds: 10.5 * tick)
      timer.invalidate()
    }
  ),
  (
    "overrun-always",
    { tracer in
      let timer = tracer.timer(name: "tick", interval: tick) { spin(2.5 * tick) }
      timer.add(mode: ModeName.default)
      tracer.run(seconds: 12.5 * tick)
      timer.invalidate()
    }
  ),
  (
    "nested-tracking",
    { tracer in
      // 10 ms timers; after 5 ms, a nested tracking run of 0.2 s; then another 0.1 s.
      tracer.addCommonMode(ModeName.tracking)
      let start = now()
      let plain = tracer.timer(name: "default", interval: 0.01, firstFire: start + 0.01) {}
      let common = tracer.timer(name: "common", interval: 0.01, firstFire: start + 0.01) {}
      plain.add(mode: ModeName.default)
      common.add(mode: ModeName.common)
      tracer.timer(name: "begin tracking", interval: 0, firstFire: start + 0.005) {
        tracer.mark("tracking")
        tracer.run(mode: ModeName.tracking, seconds: 0.2)
        tracer.mark("tracked")
      }.add(mode: ModeName.default)
      tracer.run(seconds: 0.305)
      plain.invalidate()
      common.invalidate()
    }
  ),
]

let mainCases: [Case] = [
  (
    "main-queue-before",
    { tracer in
      keepAlive(tracer)
      tracer.mainQueue(name: "async") {}
      tracer.run(seconds: tick)
    }
  ),
  (
    "main-queue-from-timer",
    { tracer in
      let timer = tracer.timer(name: "once", interval: 0, firstFire: now() + tick) {
        tracer.mainQueue(name: "async") {}
      }
      timer.add(mode: ModeName.default)
      tracer.run(seconds: 2 * tick)
    }
  ),
  (
    "main-queue-from-after-waiting",
    { tracer in
      let observer = CFRunLoopObserverCreateWithHandler(
        nil, CFRunLoopActivity.afterWaiting.rawValue, false, 0
      ) { _, _ in
        tracer.mainQueue(name: "second") {}
      }
      CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopDefaultMode)
      tracer.mainQueue(name: "first") {}
      tracer.run(seconds: tick)
    }
  ),
  (
    "main-queue-and-all",
    { tracer in
      tracer.perform(name: "block") {}
      let source = tracer.source0(name: "source") {}
      source.add(mode: ModeName.default)
      source.signal()
      let timer = pastTimer(tracer, "due")
      tracer.mainQueue(name: "async") {}
      tracer.run(seconds: tick)
      source.invalidate()
      _ = timer
    }
  ),
]

final class Counter { var count = 0 }

struct SendableLoop: @unchecked Sendable {
  let loop: CFRunLoop
  init(_ loop: CFRunLoop) { self.loop = loop }
}
