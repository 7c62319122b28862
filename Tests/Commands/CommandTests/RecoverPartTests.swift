import Foundation
import TestSupport
import Testing
import TraceCompression
import TraceFormat

/// Files next to a spool that may be the beginning of its trace.
@Suite(.ownThread) struct RecoverPartTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Kills a recorder that has written a part, together with its program.
  private func killBoth(_ program: String = "timers 100000", _ options: String = "", beyond bytes: Int = 2000)
    throws
  {
    _ = try folder.shell(
      """
      "$0" record -q \(options) -o out.rltrace -- "$1" \(program) & recorder=$!
      for i in $(seq 500); do [ $(stat -c %s out.rltrace.[ps]*[0-9t] 2>/dev/null | sort -n | tail -1) -gt \(bytes) ] && break; sleep 0.02; done
      kill -9 $recorder $(cat /proc/$recorder/task/$recorder/children); wait $recorder
      """)
    #expect(folder.names.contains("out.rltrace.part") && folder.names.contains("out.rltrace.spool"))
  }

  /// Returns the number of events of a trace, and the number of lost events.
  private func count(_ name: String) throws -> (events: Int, lost: UInt64) {
    let events = try open(name).allEvents().joined()
    let losses = events.filter { $0.kind == EventKind.lostEvents.rawValue }
    return (events.count - losses.count, losses.reduce(0) { $0 + $1.arguments[0] })
  }

  /// The loss of written and later damaged events is reported exactly, also in the trace.
  @Test(arguments: [
    ("printf x | dd of=out.rltrace.part bs=1 seek=20000 conv=notrunc 2>/dev/null", "not a block"),
    ("truncate -s 30000 out.rltrace.part", "out.rltrace.part"), (": >out.rltrace.part", "out.rltrace.part"),
    ("rm out.rltrace.part", "out.rltrace.part is missing"),
  ])
  func aPartThatIsDamaged(by damage: String, says what: String) throws {
    try killBoth("saturate 30", beyond: 60_000)
    #expect(try recover("--keep").status == 0)
    let whole = try count("out.rltrace")
    #expect(try folder.shell("rm out.rltrace; \(damage)").status == 0)
    let recovered = try recover()
    #expect(recovered.status == 65 && recovered.errorLines.count == 2, "\(recovered)")
    let rest = try count("out.rltrace")
    #expect(rest.events < whole.events)
    #expect(rest.events + Int(rest.lost) == whole.events + Int(whole.lost), "\(rest) \(whole)")
    #expect(
      recovered.errors.contains(what)
        && recovered.errors.contains("\(rest.lost - whole.lost) events that were already written are lost"))
    #expect(folder.names == ["out.rltrace"])
    let analysis = try Program.rltrace.run(["analyze", "out.rltrace"], folder: folder.path)
    #expect(analysis.output.contains(" \(rest.lost) lost, "), "\(analysis.output)")
  }

  /// The same for segments: all undamaged ones are used.
  @Test(arguments: ["printf x | dd of=$middle bs=1 seek=10000 conv=notrunc 2>/dev/null", "rm $middle"])
  func aSegmentThatIsDamaged(by damage: String) throws {
    try killBoth("saturate 30", "--max-size 1M", beyond: 60_000)
    #expect(try recover("--keep").status == 0)
    let whole = try count("out.rltrace")
    #expect(
      try folder.shell("rm out.rltrace; middle=$(ls -v out.rltrace.segment* | head -2 | tail -1); \(damage)")
        .status
        == 0)
    let recovered = try recover()
    #expect(recovered.status == 65, "\(recovered)")
    let rest = try count("out.rltrace")
    // Losses that the recorder noted in the damaged segment are lost with it.
    let known = whole.events...(whole.events + Int(whole.lost))
    #expect(rest.events < whole.events && known.contains(rest.events + Int(rest.lost)), "\(rest) \(whole)")
    #expect(folder.names == ["out.rltrace"])
  }

  /// Only one recovery runs at a time, and none for a recording that is still being written, whatever process IDs
  /// suggest.
  @Test func oneRecoveryAtATime() throws {
    try killBoth()
    for name in ["out.rltrace.spool", "out.rltrace.part"] {
      let refused = try folder.shell("flock \(name) \"$0\" recover out.rltrace.spool")
      #expect(refused.status == 69 && refused.errorLines.count == 1, "\(refused)")
    }
    #expect(folder.names == ["out.rltrace.part", "out.rltrace.spool"])
    #expect(try recover().status == 0)
  }

  private func recover(_ arguments: String...) throws -> Program.Result {
    try Program.rltrace.run(["recover"] + arguments + ["out.rltrace.spool"], folder: folder.path)
  }

  private func replacePart(with name: String) throws {
    try FileManager.default.removeItem(atPath: folder.file("out.rltrace.part"))
    try FileManager.default.copyItem(
      atPath: folder.file(name), toPath: folder.file("out.rltrace.part"))
  }

  private func expectRefused(_ why: String) throws {
    let names = folder.names
    let refused = try recover()
    #expect(refused.status == 65 && refused.errorLines.count == 1, "\(refused.errors)")
    #expect(refused.errors.contains("out.rltrace.part \(why)"), "\(refused.errors)")
    #expect(folder.names == names)
  }

  private func open(_ name: String) throws -> TraceReader {
    try openTrace(path: folder.file(name))
  }

  /// The recorder's part and the spool make one trace. A part of another recording is refused.
  @Test func onlyItsOwnPart() throws {
    try killBoth()
    #expect(try folder.shell("\"$0\" record -q -o other.rltrace -- \"$1\" timers 5").status == 0)
    #expect(try folder.shell("cp out.rltrace.part own").status == 0)
    try replacePart(with: "other.rltrace")
    try expectRefused("is from process")

    // The part does not name its process, but its clocks do not match.
    let other = try open("other.rltrace")
    let writer = try TraceWriter(
      sink: FileSink(path: folder.file("nobody")), header: other.header,
      codec: try #require(allCodecs(other.header.codec)))
    try writer.write(other.syncPoints)
    try writer.close()
    try replacePart(with: "nobody")
    try expectRefused("is from a different recording")

    try replacePart(with: "own")
    #expect(try recover("--keep").status == 0)
    let whole = try open("out.rltrace")
    // A complete trace does not count as a part.
    #expect(try folder.shell("cp out.rltrace out.rltrace.part").status == 0)
    try expectRefused("is a complete trace")
    #expect(try folder.shell("cp own out.rltrace.part").status == 0)
    #expect(try recover().status == 0)
    #expect(folder.names == ["nobody", "other.rltrace", "out.rltrace", "own"])
    #expect(try open("out.rltrace").eventCount == whole.eventCount)
  }

  /// The complete trace exists, and the spool has fewer events. A recovery does not replace the trace.
  @Test func aTraceWithMoreEventsStays() throws {
    try killBoth()
    #expect(try folder.shell("cp out.rltrace.spool left; cp out.rltrace.part begun").status == 0)
    #expect(try recover().status == 0)
    let whole = try open("out.rltrace").eventCount
    // The spool alone has few events: most of them are in the part.
    #expect(try folder.shell("cp left out.rltrace.spool").status == 0)
    let refused = try recover()
    #expect(refused.status == 65 && refused.errorLines.count == 1)
    #expect(refused.errors.contains("the existing one has \(whole)"), "\(refused.errors)")
    #expect(folder.names == ["begun", "left", "out.rltrace", "out.rltrace.spool"])
    #expect(try open("out.rltrace").eventCount == whole)
    #expect(try recover("-o", "elsewhere.rltrace").status == 65)
    #expect(try open("elsewhere.rltrace").eventCount < whole)
  }
}
