import Foundation
import RunLoopSpans
import RunLoopTrace
import Tracing

let tracer = try RunLoopTracer.start(output: "feed.rltrace")
InstrumentationSystem.bootstrap(tracer.spanTracer())

func decode() { usleep(300_000) }

let timer = tracer.timer(
  name: "decode image", interval: 0, firstFire: Date().timeIntervalSinceReferenceDate + 0.02
) { decode() }
timer.add(mode: ModeName.common)

// The answer comes after 50 ms, while the loop decodes the image.
let request = startSpan("GET /feed")
Thread.detachNewThread { [tracer, request] in
  usleep(50_000)
  tracer.mainQueue(name: "answer") { request.end() }
}
RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.5))
try tracer.stop()
