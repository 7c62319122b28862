import ArgumentParser
import CoreFoundation
import Foundation

/// Times passes in a program that does not record itself. It may be recorded from outside.
struct PlainPasses: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "passes",
    abstract: "Times poll passes of the real CFRunLoop and records nothing.",
    discussion: """
      Passes are those of `probe`, with no observers or with two empty ones of the lowest and the highest order. \
      Prints ns_per_pass, the median over bursts. Run it by itself with 2 observers, and under `rltrace record` with 0.

      Example: rltrace record -q -- rltrace-bench passes --passes 100000
      """)

  private static let passesPerBurst = 500

  @Option(help: "How many passes.")
  var passes: Int

  @Flag(help: "Add two empty observers.")
  var observers = false

  func run() throws {
    let loop = PollLoop()
    if observers { _ = try loop.perform(PollLoop.addEmptyObservers) }
    let bursts = max(1, passes / PlainPasses.passesPerBurst)
    let costs = try (0..<bursts).map { _ in
      let cost = try loop.perform { loop.nsPerPass(passes: PlainPasses.passesPerBurst) }
      // Gives the drain of an outside recorder time to run.
      usleep(500)
      return cost
    }
    printJSON(["ns_per_pass": median(costs)])
  }
}
