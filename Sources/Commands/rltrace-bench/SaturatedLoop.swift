import ArgumentParser
import CoreFoundation
import Foundation

/// Runs a loop that never waits, in a program that does not record itself. It may be recorded from outside.
struct SaturatedLoop: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "saturate",
    abstract: "Runs the real CFRunLoop as fast as possible: a source0 that signals itself.",
    discussion: """
      Prints passes_per_s, the number of passes per second of wall time. Run it by itself and under `rltrace record`.

      Example: rltrace record -q -- rltrace-bench saturate --passes 1000000
      """)

  @Option(help: "How many passes.")
  var passes: Int

  nonisolated(unsafe) private static var left = 0
  nonisolated(unsafe) private static var source: CFRunLoopSource?

  func run() throws {
    SaturatedLoop.left = passes
    var context = CFRunLoopSourceContext()
    context.perform = { _ in
      SaturatedLoop.left -= 1
      if SaturatedLoop.left > 0 {
        CFRunLoopSourceSignal(SaturatedLoop.source)
      } else {
        CFRunLoopStop(CFRunLoopGetCurrent())
      }
    }
    SaturatedLoop.source = CFRunLoopSourceCreate(nil, 0, &context)
    CFRunLoopAddSource(CFRunLoopGetCurrent(), SaturatedLoop.source, PollLoop.mode)
    CFRunLoopSourceSignal(SaturatedLoop.source)
    let start = Date()
    CFRunLoopRunInMode(PollLoop.mode, 1e6, false)
    printJSON(["passes_per_s": Double(passes) / -start.timeIntervalSinceNow])
  }
}
