import Foundation
import InMemoryTracing
import RunLoopSpans
import RunLoopTrace
import Testing
import Tracing

private struct Failure: Error {}

/// Spans are intervals of the trace, and another tracer gets them as if it were alone.
@Test func spansArePassedOn() throws {
  let file = FileManager.default.temporaryDirectory.appendingPathComponent(
    "rltrace-spans-\(getpid()).rltrace")
  defer { try? FileManager.default.removeItem(at: file) }
  let recorder = try RunLoopTracer.start(output: file.path)
  let other = InMemoryTracer()
  InstrumentationSystem.bootstrap(recorder.spanTracer(passingTo: other))
  #expect(throws: Failure.self) {
    try withSpan("first name") { span -> Void in
      span.operationName = "later name"
      span.attributes = ["an attribute": 7]
      span.addEvent("an event")
      let active = InstrumentationSystem.tracer.activeSpan(identifiedBy: span.context)
      #expect(span.isRecording && active?.operationName == "later name")
      withSpan("inner") { _ in }
      throw Failure()
    }
  }
  // Without another tracer, attributes are not kept.
  let alone = recorder.spanTracer().startAnySpan("alone")
  #expect(!alone.isRecording)
  alone.end()
  alone.end()
  try recorder.stop()

  let spans = other.finishedSpans
  #expect(spans.map(\.operationName) == ["inner", "later name"] && other.activeSpans.isEmpty)
  #expect(spans.first?.parentSpanID == spans.last?.spanID)
  #expect(spans.last?.attributes == ["an attribute": 7] && spans.last?.events.map(\.name) == ["an event"])
  #expect(spans.last?.errors.count == 1 && spans.last?.status?.code == .error)

  // An interval has the name with which its span began.
  let trace = try Data(contentsOf: file)
  for name in ["first name", "inner", "alone"] { #expect(trace.range(of: Data(name.utf8)) != nil, "\(name)") }
  for name in ["later name", "an attribute", "an event"] {
    #expect(trace.range(of: Data(name.utf8)) == nil, "\(name)")
  }
}
