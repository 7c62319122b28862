import Foundation
import TestSupport
import Testing
import TraceFormat
import WhatIf

/// The replay without a change, on the sample traces.
@Suite struct SampleFidelityTests {
  @Test(arguments: SampleTraces.all.filter { $0.hasPrefix("virtual/") })
  func virtualSamplesAreRepeatedToTheUnit(name: String) throws {
    let bytes = try bytes(name)
    let predictor = try Predictor(openTrace(bytes))
    #expect(predictor.isExact, "\(predictor.fidelity)")
    let sink = MemorySink()
    _ = try predictor.predict([ChangeParser.read("nothing")], to: sink, codec: NoCodec())
    let predicted = try openTrace(sink.bytes)
    let original = try openTrace(bytes)
    #expect(predicted.eventCount == original.eventCount)
    for thread in original.threads.keys.sorted() {
      #expect(firstDifference(try events(predicted, of: thread), try events(original, of: thread)) == nil)
    }
  }

  @Test(arguments: SampleTraces.all.filter { $0.hasPrefix("real/") })
  func realSamplesAreRepeatedInOrder(name: String) throws {
    let predictor = try Predictor(openTrace(bytes(name)))
    for loop in predictor.fidelity {
      #expect(loop.divergence == nil, "\(loop)")
      #expect(loop.residues.first.map { $0.callouts > 0 } == true)
    }
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: SampleTraces.path(name))))
  }

  private struct Event: Equatable {
    var time: UInt64
    var kind: UInt8
    var mode: UInt8
    var object: UInt32
    var arguments: [UInt64]
  }

  private func events(_ reader: TraceReader, of thread: UInt32) throws -> [Event] {
    let decoded = DecodedEvents()
    var events: [Event] = []
    for (number, block) in reader.blocks.enumerated() where block.type == .events && block.thread == thread {
      try reader.events(of: number, into: decoded)
      decoded.forEach {
        events.append(Event(time: $0, kind: $1, mode: $2, object: $3, arguments: $4))
      }
    }
    return events
  }
}
