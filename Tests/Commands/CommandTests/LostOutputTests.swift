import Foundation
import TestSupport
import Testing
import TraceFormat

/// Outputs that cannot be written, or are cancelled. The messages about them are correct, and no files remain.
@Suite(.ownThread, .optimizedBuild) struct LostOutputTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let trace = URL(fileURLWithPath: folder.file("a.rltrace"))
    try Data(SampleTraces.bytes(virtual: "modes")).write(to: trace)
  }

  private func makeSpool() throws {
    let made = try folder.shell(
      "env $(\"$0\" record --print-env -o out.rltrace | sed s/slots=[0-9]*/slots=4096/) \"$1\" timers 5")
    try #require(made.status == 0 && folder.names.contains("out.rltrace.spool"), "\(made.errors)")
  }

  private static let toStandardOutput = [
    "assemble a.txt -o -", "redact a.rltrace -o -", "export a.rltrace --table passes",
    "report a.rltrace -o -",
    "recover out.rltrace.spool -o -",
  ]

  private func prepare(_ command: String) throws {
    if command.contains("spool") { try makeSpool() }
    if command.contains("a.txt") { _ = try folder.shell("\"$0\" dump a.rltrace -o a.txt") }
  }

  /// The message suggests no other path, and a spool loses nothing.
  @Test(arguments: toStandardOutput) func aFullDiskBehindStandardOutput(command: String) throws {
    try prepare(command)
    let before = folder.names
    let result = try folder.shell("exec \"$0\" \(command) >/dev/full")
    #expect(result.status == 74 && result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains("cannot write standard output: No space left"), "\(result.errors)")
    #expect(!result.errors.contains("nothing was kept") && !result.errors.contains("-o"), "\(result.errors)")
    #expect(result.errors.contains("is kept") == command.contains("spool"), "\(result.errors)")
    #expect(folder.names == before)
  }

  @Test(arguments: toStandardOutput) func aReaderThatClosedThePipe(command: String) throws {
    try prepare(command)
    let before = folder.names
    let result = try folder.shell("mkfifo p; (: <p) & exec 5>p; wait; rm p; exec \"$0\" \(command) >&5")
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(folder.names == before)
  }

  /// The events stay in the spool, whatever happens to the trace.
  @Test func aSpoolIsKept() throws {
    try makeSpool()
    let full = try folder.shell(
      "ulimit -f 1; exec \"$0\" recover out.rltrace.spool -o x.rltrace --codec none")
    #expect(full.status == 74, "\(full.errors)")
    #expect(full.errors.contains("the recording is kept: raise the limit"), "\(full.errors)")
    for place in ["/dev/full", folder.path, "/nonexistent/x.rltrace"] {
      let refused = try folder.shell("exec \"$0\" recover out.rltrace.spool -o \(place)")
      #expect(refused.status == 73 && refused.errorLines.count == 1, "\(place): \(refused.errors)")
      #expect(refused.errors.contains("is kept"), "\(place): \(refused.errors)")
    }
    #expect(folder.names.contains("out.rltrace.spool"))
  }

  @Test func noSpools() throws {
    let missing = try folder.shell("exec \"$0\" recover missing.spool")
    #expect(missing.status == 66 && missing.errors.contains("missing.spool: cannot open: No such file"))
    let other = try folder.shell("exec \"$0\" recover /proc/version -o x.rltrace")
    #expect(other.status == 65 && !other.errors.contains("killed"), "\(other.errors)")
  }

  // MARK: Two outputs with one path

  @Test(arguments: [
    "gate a.rltrace --junit j --sarif ./j", "gate a.rltrace --sarif j --markdown \"$PWD/j\"",
    "analyze a.rltrace --html same --csv same", "analyze a.rltrace --html t/gaps.csv --csv t",
    "analyze a.rltrace --html t/README.txt --csv ./t/",
  ]) func outputsOfOneName(command: String) throws {
    let result = try folder.shell("exec \"$0\" \(command)")
    #expect(result.status == 64 && result.output.isEmpty, "\(result.errors)")
    #expect(result.errors.contains("would write the same file"), "\(result.errors)")
    #expect(folder.names == ["a.rltrace"])
  }

  // MARK: Signals

  /// A trace whose passes have one shape: a small file whose export takes seconds.
  private static let longTrace = Result<[UInt8], any Error> {
    try writeTrace(codec: .zstd, hasHighStamps: false) { writer in
      let kinds: [EventKind] = [.beforeTimersLow, .beforeSourcesLow, .beforeWaitingLow, .afterWaitingLow]
      for block in 0..<100 as Range<UInt64> {
        let first = block << 20
        let begin = [TestEvent(time: first, kind: .entryLow, mode: 1, object: 1)]
        let passes = (1...60_000).map {
          TestEvent(time: first + $0, kind: kinds[Int($0 % 4)], mode: 1, object: 1)
        }
        try writer.write(EventBuffer((block == 0 ? begin : []) + passes), thread: 0)
      }
    }
  }

  /// Exports the trace, and sends a signal as soon as a file exists. The shell waits without starting programs, which
  /// would take time.
  private func signalled(_ name: String, _ preparation: String) throws -> Program.Result {
    try folder.file("long.rltrace", Self.longTrace.get())
    return try folder.shell(
      """
      shopt -s dotglob nullglob; \(preparation)
      "$0" export long.rltrace -o t & files=(); until (( ${#files[@]} )); do files=(t/*.part); done
      kill -\(name) $!; wait $!
      """)
  }

  @Test(arguments: [
    ("HUP", 129), ("INT", 130), ("QUIT", 131), ("USR1", 138), ("USR2", 140), ("ALRM", 142), ("TERM", 143),
    ("XCPU", 152), ("VTALRM", 154), ("PROF", 155),
  ])
  func aSignalLeavesNothing(name: String, status: Int32) throws {
    let result = try signalled(name, "set -m")
    #expect(result.status == status, "\(result.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("t")).isEmpty)
  }

  /// Programs that `nohup` or a script starts in the background ignore the signal.
  @Test(arguments: ["INT", "HUP"]) func anIgnoredSignalStaysIgnored(name: String) throws {
    let result = try signalled(name, "trap '' \(name)")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("t")).contains("passes.csv"))
  }

  /// The names of unfinished files in the folder, and the documentation of these names.
  @Test func workingNamesAreHidden() throws {
    let sink = try FileSink(path: folder.file("x.csv"))
    let names = Set(folder.names).subtracting(["a.rltrace"])
    #expect(
      names.count == 1 && names.allSatisfy { $0.hasPrefix(".x.csv.") && $0.hasSuffix(".part") }, "\(names)")
    #expect(sink.workingName == folder.file(names.first ?? ""))
    sink.discard()
    #expect(folder.names == ["a.rltrace"])
  }
}
