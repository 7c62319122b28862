// A real CFRunLoop program that runs the sequences of docs/explanation/runloop-semantics.md and records itself.
//
//   sequence-fixture secondary|main|killed|stopped|guarded|unguarded OUTPUT
//
// `killed` makes 500 marks instead, and is killed. `stopped` makes them, prints a line, and stops. `guarded` asks for the
// handler of SIGBUS, and both it and `unguarded` print whether the recorder has one. Each case is between two marks,
// `case NAME` and `end`, on the thread that runs it.
import CoreFoundation
import Dispatch
import Foundation
import RunLoopTrace

let arguments = CommandLine.arguments
guard arguments.count == 3,
  ["secondary", "main", "killed", "stopped", "guarded", "unguarded"].contains(arguments[1])
else {
  let usage = "usage: sequence-fixture secondary|main|killed|stopped|guarded|unguarded OUTPUT\n"
  FileHandle.standardError.write(Data(usage.utf8))
  exit(64)
}
var options = RecordingOptions()
options.handlesBusErrors = arguments[1] == "guarded"
// The app ignores SIGBUS itself. This also replaces any handler of the Swift runtime.
if ["guarded", "unguarded"].contains(arguments[1]) { signal(SIGBUS, SIG_IGN) }
let tracer = try RunLoopTracer.start(output: arguments[2], options: options)
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
} else if ["guarded", "unguarded"].contains(arguments[1]) {
  var action = sigaction()
  sigaction(SIGBUS, nil, &action)
  print(action.sa_flags & SA_SIGINFO == 0 ? "kept" : "handled")
} else {
  for (name, body) in mainCases {
    tracer.mark("case \(name)")
    body(tracer)
    tracer.mark("end")
  }
}
try tracer.stop()
