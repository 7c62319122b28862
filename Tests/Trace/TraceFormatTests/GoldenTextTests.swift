import TestSupport
import Testing
import TraceFormat

/// The traces of Tests/Golden, which are text written by hand.
@Suite struct GoldenTextTests {
  @Test func thereAreSome() { #expect(ProjectFiles.goldenNames.count >= 3) }

  @Test(arguments: ProjectFiles.goldenNames) func assembleAndDump(name: String) throws {
    let text = try ProjectFiles.golden(name)
    for codec in CodecID.allCases {
      let reader = try openTrace(try assembleTrace(text, codec: codec))
      #expect(reader.isClean && reader.problem == nil)
      let expected = essence(text).map { $0.replacing("codec=none", with: "codec=\(codec.name)") }
      #expect(firstDifference(essence(try dumpTrace(reader)), expected) == nil)
    }
  }

  /// Checks the decoded events themselves: text and binary could agree and both be wrong.
  @Test func onePassIsReadAsWritten() throws {
    let reader = try openTrace(try assembleTrace(try ProjectFiles.golden("one-pass")))
    #expect(reader.header.timeUnit == .us1)
    #expect(reader.threads[0] == ThreadDefinition(index: 0, osThread: 4242, isMain: true, name: "main"))
    #expect(reader.modes == [1: "kCFRunLoopDefaultMode"])
    let events = try reader.allEvents()[0]
    #expect(events.first == TestEvent(time: 0, kind: .loopCreate, object: 1, arguments: [1]))
    #expect(
      events.contains(TestEvent(time: 12_040, kind: .timerDue, mode: 1, object: 2, arguments: [12_000])))
    #expect(events.last == TestEvent(time: 12_400, kind: .runEnd, mode: 1, object: 1, arguments: [2]))
  }
}
