import Foundation

// Notifications "when idle" are posted by an observer, in the loop of the thread that queues them.

let changed = Notification.Name("DocumentChanged")
let saving = NotificationCenter.default.addObserver(forName: changed, object: nil, queue: nil) { _ in
  print("saved")
}

func edit() {
  NotificationQueue.default.enqueue(
    Notification(name: changed), postingStyle: .whenIdle, coalesceMask: .onName, forModes: nil)
}

/// Runs the loop of the calling thread until the thread is cancelled.
func serve() {
  // A mode without a source or a timer returns at once. This timer never fires.
  let alive = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
  RunLoop.current.add(alive, forMode: .default)
  // The limit makes the thread notice that it was cancelled.
  while !Thread.current.isCancelled,
    RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 1))
  {}
  alive.invalidate()
}

let editor = Thread {
  edit()
  #if FIXED
  serve()
  #else
  // The thread lives, but it does not run its loop.
  while !Thread.current.isCancelled { Thread.sleep(forTimeInterval: 0.1) }
  #endif
}
editor.name = "editor"
editor.start()
_ = Timer.scheduledTimer(withTimeInterval: 0.5, repeats: true) { _ in }
RunLoop.main.run(until: Date(timeIntervalSinceNow: 3))
editor.cancel()
