import ArgumentParser
import CRLTraceShims
import CoreFoundation
import Foundation
import TraceFormat

/// What a program waits for when it first uses a run loop, and each thread at its first event: to be recorded from
/// outside, or not.
struct FirstUse: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "first-use",
    abstract: "Times the first use of a run loop, and each thread's first event.",
    discussion: """
      Prints first_use_ns, of the process's first run, and first_event_ns, the median over threads of their first \
      CFRunLoopWakeUp. Run it by itself and under `rltrace record`, a process for each sample.

      Example: rltrace record -q -- rltrace-bench first-use --threads 50
      """)

  @Option(help: "How many threads.")
  var threads = 50

  func run() throws {
    // What Foundation does once is not the recorder's.
    _ = CFRunLoopGetMain()
    // The recorder outside gets ready while a program starts; this one has hardly anything to start.
    usleep(20_000)
    let start = rlt_monotonic_ns()
    CFRunLoopRunInMode(PollLoop.mode, 0, true)
    let firstUse = rlt_monotonic_ns() - start
    let costs = Locked<[Double]>([])
    // They all live to the end: the ring of one that ended would serve the next.
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
