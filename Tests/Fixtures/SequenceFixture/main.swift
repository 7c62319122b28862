// A real CFRunLoop program that runs the sequences of docs/explanation/runloop-semantics.md and records itself.
//
//   sequence-fixture secondary|main|killed|stopped OUTPUT
//
// `killed` makes 500 marks instead, and is killed. `stopped` makes them, prints a line, and stops. Each case is
// between two marks, `case NAME` and `end`, on the thread that runs it.
import CoreFoundation
import Dispatch
import Foundation
import RunLoopTrace

let arguments = CommandLine.arguments
guard arguments.count == 3, ["secondary", "main", "killed", "stopped"].contains(arguments[1]) else {
  FileHandle.standardError.write(Data("usage: sequence-fixture secondary|main|killed|stopped OUTPUT\n".utf8))
  exit(64)
}
let tracer = try RunLoopTracer.start(output: arguments[2])
if arguments[1] == "secondary" {
  for (name, body) in secondaryCases {
    // A new thread has a new loop.
    let thread = Thread {
      tracer.observe(CFRunLoopGetCurrent())
      tracer.mark("case \(name)")
      body(tracer)
      tracer.mark("end")
    }
    thread.start()
    while !thread.isFinished { usleep(1000) }
  }
} else if ["killed", "stopped"].contains(arguments[1]) {
  for number in 1...500 { tracer.mark("mark \(number)") }
  if arguments[1] == "killed" { kill(getpid(), SIGKILL) }
  FileHandle.standardOutput.write(Data("marked\n".utf8))
} else {
  for (name, body) in mainCases {
    tracer.mark("case \(name)")
    body(tracer)
    tracer.mark("end")
  }
}
try tracer.stop()
