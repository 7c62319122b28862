import ArgumentParser
import CRLTraceShims
import CoreFoundation
import Foundation
import SystemSupport

/// Times the first use of a run loop, and each thread's first event, in a program that may be recorded from outside.
struct FirstUse: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "first-use",
    abstract: "Times the first use of a run loop, and each thread's first event.",
    discussion: """
      Prints first_use_ns, the time of the process's first run, and first_event_ns, the median time of each thread's \
      first CFRunLoopWakeUp. Run it by itself and under `rltrace record`, with one process for each sample.

      Example: rltrace record -q -- rltrace-bench first-use --threads 50
      """)

  @Option(help: "How many threads.")
  var threads = 50

  func run() throws {
    // Excludes Foundation's own one-time work.
    _ = CFRunLoopGetMain()
    // An outside recorder prepares itself during a program's start-up, which is too short in this program.
    usleep(20_000)
    let start = rlt_monotonic_ns()
    CFRunLoopRunInMode(PollLoop.mode, 0, true)
    let firstUse = rlt_monotonic_ns() - start
    let costs = Locked<[Double]>([])
    // All threads live to the end; otherwise a new thread would get the ring of an ended one.
    let release = DispatchSemaphore(value: 0)
    for _ in 0..<threads {
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        let start = rlt_monotonic_ns()
        CFRunLoopWakeUp(CFRunLoopGetMain())
        let cost = rlt_monotonic_ns() - start
        costs.withLock { $0.append(Double(cost)) }
        done.signal()
        release.wait()
      }
      done.wait()
    }
    for _ in 0..<threads { release.signal() }
    printJSON(["first_use_ns": Double(firstUse), "first_event_ns": median(costs.withLock { $0 })])
  }
}
