import ArgumentParser
import CoreFoundation
import Foundation

/// Runs callouts that compute, in a program that does not record itself. It may be sampled from outside.
struct BusyCallouts: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "callouts",
    abstract: "Times callouts of the real CFRunLoop that compute, allocate and lock.",
    discussion: """
      Each callout does the same work for about 20 ms. Prints ms_per_callout, the median of wall time. Run it by \
      itself and under `rltrace record --sample 1ms`.

      Example: rltrace record -q --sample 1ms -- rltrace-bench callouts --callouts 50
      """)

  private static let rounds = 40_000

  @Option(help: "How many callouts.")
  var callouts: Int

  func validate() throws {
    guard callouts > 0 else { throw ValidationError("--callouts must be above 0") }
  }

  nonisolated(unsafe) private static var costs: [Double] = []
  nonisolated(unsafe) private static var sum = 0

  func run() throws {
    let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent(), 0.001, 0, 0) { timer in
      let start = DispatchTime.now().uptimeNanoseconds
      BusyCallouts.work()
      BusyCallouts.costs.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6)
      if BusyCallouts.costs.count == callouts { CFRunLoopTimerInvalidate(timer) }
    }
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, PollLoop.mode)
    while CFRunLoopTimerIsValid(timer) { CFRunLoopRunInMode(PollLoop.mode, 0.1, false) }
    printJSON(["ms_per_callout": median(BusyCallouts.costs), "sum": BusyCallouts.sum % 1000])
  }

  @inline(never)
  private static func work() {
    let lock = NSLock()
    for round in 0..<rounds {
      let values = (0..<200).map { ($0 &* 31) ^ round }
      lock.withLock { sum = sum &+ values.reduce(0, &+) & 0xFF }
    }
  }
}
