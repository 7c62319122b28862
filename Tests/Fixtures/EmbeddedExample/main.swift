// The example of docs/reference/recording.md, and further calls with which a program describes itself. A test compares
// the page with this file.
import Foundation
import RunLoopTrace

let tracer = try RunLoopTracer.start(output: "app.rltrace")
let timer = tracer.timer(name: "refresh", interval: 0.01) { tracer.mark("refreshed") }
timer.add(mode: ModeName.common)
tracer.interval("import") { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.1)) }
try tracer.stop()

tracer.mark("too late: nothing is recorded after stop, unless another recording runs")
tracer.lifeCycle(.background)
let task = tracer.beginBackgroundTask(name: "upload", budget: 30)
task.end()
task.expired()
tracer.state("screen", "Feed")
tracer.state("screen", "")
let location = tracer.beginService(name: "location")
location.end()
let handedOver = tracer.beginInterval("handed over")
let done = DispatchSemaphore(value: 0)
Task.detached { [tracer, handedOver, done] in
  handedOver.end()
  await tracer.interval(awaiting: "waits") { await Task.yield() }
  done.signal()
}
done.wait()
