import Foundation
import TestSupport
import Testing
import TraceCompression
import TraceFormat

/// What lies beside a spool and may be the beginning of its trace.
@Suite struct RecoverPartTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func shell(_ script: String) throws -> Program.Result {
    try Program(shell: script).run([Program.rltrace.path, Program.loopPrograms.path], folder: folder.path)
  }

  /// Kills a recorder that has written a part, and its program.
  private func killBoth() throws {
    _ = try shell(
      """
      "$0" record -q -o out.rltrace -- "$1" timers 100000 & recorder=$!
      for i in $(seq 500); do [ $(stat -c %s out.rltrace.part 2>/dev/null || echo 0) -gt 2000 ] && break; sleep 0.02; done
      kill -9 $recorder $(cat /proc/$recorder/task/$recorder/children); wait $recorder
      """)
    #expect(folder.names == ["out.rltrace.part", "out.rltrace.spool"])
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
    try TraceReader(source: FileSource(path: folder.file(name)), codecs: allCodecs)
  }

  /// What the recorder had written and the spool make one trace; a part of another recording does not.
  @Test func onlyItsOwnPart() throws {
    try killBoth()
    #expect(try shell("\"$0\" record -q -o other.rltrace -- \"$1\" timers 5").status == 0)
    #expect(try shell("cp out.rltrace.part own").status == 0)
    try replacePart(with: "other.rltrace")
    try expectRefused("is of process")

    // Nobody says whose it is: its clocks tell.
    let other = try open("other.rltrace")
    let writer = try TraceWriter(
      sink: FileSink(path: folder.file("nobody")), header: other.header,
      codec: try #require(allCodecs(other.header.codec)))
    try writer.write(other.syncPoints)
    try writer.close()
    try replacePart(with: "nobody")
    try expectRefused("is of another recording")

    try replacePart(with: "own")
    #expect(try recover("--keep").status == 0)
    let whole = try open("out.rltrace")
    // The whole trace stands for no part of itself.
    #expect(try shell("rm out.rltrace.begun; cp out.rltrace out.rltrace.part").status == 0)
    try expectRefused("is a whole trace")
    #expect(try shell("cp own out.rltrace.part").status == 0)
    #expect(try recover().status == 0)
    #expect(folder.names == ["nobody", "other.rltrace", "out.rltrace", "own"])
    #expect(try open("out.rltrace").eventCount == whole.eventCount)
  }

  /// The trace was whole already, and what is left of its spool has less: a recovery does not make it poorer.
  @Test func aTraceThatHasMoreStays() throws {
    try killBoth()
    #expect(try shell("cp out.rltrace.spool left; cp out.rltrace.part begun").status == 0)
    #expect(try recover().status == 0)
    let whole = try open("out.rltrace").eventCount
    // Without the part, which holds most of it, what the spool still has is little.
    #expect(try shell("cp left out.rltrace.spool").status == 0)
    let refused = try recover()
    #expect(refused.status == 65 && refused.errorLines.count == 1)
    #expect(refused.errors.contains("the one that is there has \(whole)"), "\(refused.errors)")
    #expect(folder.names == ["begun", "left", "out.rltrace", "out.rltrace.spool"])
    #expect(try open("out.rltrace").eventCount == whole)
    #expect(try recover("-o", "elsewhere.rltrace").status == 0)
    #expect(try open("elsewhere.rltrace").eventCount < whole)
  }
}
