import Foundation
import TestSupport
import Testing
import TraceFormat

/// Bad input causes one line on standard error that states the problem, its place and a remedy. The status is one from
/// sysexits.h, and no output looks complete.
@Suite struct BadInputTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func small() throws -> [UInt8] {
    var random = SeededGenerator(seed: 1)
    return try smallTrace(codec: .zstd, &random)
  }

  private static let readers = [["analyze"], ["analyze", "--format", "json"], ["info"], ["dump"]]

  private func expectFailure(_ arguments: [String], status: Int32, _ words: String...) throws {
    let result = try Program.rltrace.run(arguments)
    #expect(result.status == status, "\(arguments): \(result.errors)")
    #expect(result.errorLines.count == 1, "\(arguments): \(result.errors)")
    for word in words { #expect(result.errors.contains(word), "\(arguments): \(result.errors)") }
  }

  @Test(arguments: readers)
  func unreadable(command: [String]) throws {
    try expectFailure(command + [folder.file("missing")], status: 66, "missing", "No such file")
    try expectFailure(command + [try folder.file("empty", [])], status: 65, "empty", "record again")
    try expectFailure(
      command + [try folder.file("text", "hello, world, this is not a trace")], status: 65, "byte 0")
    try expectFailure(command + [folder.path], status: 65, "a folder; name a trace in it")
    var future = try small()
    future[8] = 9
    try expectFailure(
      command + [try folder.file("future", future)], status: 65, "9.0", "byte 8", "update rltrace")
    try expectFailure(
      command + [try folder.file("head", Array(try small().prefix(20)))], status: 65, "byte 20",
      "file header")
  }

  /// The readable part is shown and marked as incomplete. The exit status reports that the rest is missing.
  @Test(arguments: readers)
  func cutShort(command: [String]) throws {
    let whole = try small()
    let path = try folder.file("cut", Array(whole.prefix(whole.count * 2 / 3)))
    try expectFailure(command + [path], status: 65, "cut short", "byte \(whole.count * 2 / 3)", "block")
    let output = try Program.rltrace.run(command + [path]).output
    switch command.last! {
    case "json": #expect(output.contains("\"clean\" : false"))
    case "analyze": #expect(output.contains("INCOMPLETE"))
    case "info": #expect(output.contains("NOT CLEAN"))
    default: #expect(output.hasSuffix("unclean\n"))
    }
  }

  @Test(arguments: readers)
  func damaged(command: [String]) throws {
    var bytes = try small()
    let reader = try openTrace(bytes)
    let entry = try #require(reader.blocks.first { $0.type == .events })
    bytes[Int(entry.offset) + 60] ^= 0x40
    try expectFailure(command + [try folder.file("damaged", bytes)], status: 65, "damaged at byte", "block")
  }

  @Test func oddFiles() throws {
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    try expectFailure(["analyze", pipe], status: 65, "not a regular file")
    try expectFailure(["assemble", folder.path, "-o", folder.file("x")], status: 66, "a folder; name a file")
    let text = try folder.file(
      "trace.txt",
      "rltrace-text 1\nheader minor=0 unit=10ns codec=none capture=callouts clock=virtual high=no\nend\n")
    // A command does not replace a device, a pipe or a folder with a file. It follows symbolic links.
    for target in [pipe, folder.path] {
      try expectFailure(["assemble", text, "-o", target], status: 73, "cannot write")
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link"), withDestinationPath: folder.file("real"))
    try folder.file("real", [1])
    #expect(try Program.rltrace.run(["assemble", text, "-o", folder.file("link")]).status == 0)
    #expect(try Program.rltrace.run(["info", folder.file("real")]).status == 0)
  }

  /// One unreadable file does not prevent the reports of the others.
  @Test func oneOfSeveral() throws {
    let good = try folder.file("good", try small())
    let result = try Program.rltrace.run(["analyze", folder.file("missing"), good])
    #expect(result.status == 66)
    #expect(result.output.contains("Verdict:"))
    let far = try Program.rltrace.run(["analyze", good, "--from", "9999-01-01T00:00:00Z"])
    #expect(far.status == 0, "\(far.errors)")
  }

  @Test func unwritableOutput() throws {
    let text = try folder.file(
      "trace.txt",
      "rltrace-text 1\nheader minor=0 unit=10ns codec=none capture=callouts clock=virtual high=no\nend\n")
    try expectFailure(
      ["assemble", text, "-o", "/nonexistent/folder/x.rltrace"], status: 73, "cannot write", "-o")
    try expectFailure(
      ["record", "--scenario", "timer-starvation", "-o", "/nonexistent/x.rltrace"], status: 73, "cannot write"
    )
  }

  @Test func wrongText() throws {
    let path = try folder.file(
      "bad.txt",
      "rltrace-text 1\nheader minor=0 unit=10ns codec=none capture=callouts clock=virtual high=no\nevents thread=0\n  5 Nonsense\nend\n"
    )
    try expectFailure(["assemble", path, "-o", folder.file("out.rltrace")], status: 65, "line 4", "Nonsense")
    #expect(folder.names == ["bad.txt"], "nothing half-written")
  }

  /// A command stops reading an endless line at the limit.
  @Test func aLineWithoutEnd() throws {
    let result = try Program(shell: "exec \"$0\" assemble - -o out.rltrace </dev/zero").run(
      [Program.rltrace.path], folder: folder.path)
    #expect(
      result.status == 65 && result.errors.contains("line 1: the line is longer than"), "\(result.errors)")
    #expect(folder.names.isEmpty)
  }

  /// The file size limit acts like a full disk. No output remains.
  @Test func fullDisk() throws {
    var text =
      "rltrace-text 1\nheader minor=0 unit=10ns codec=none capture=callouts clock=virtual high=no\nstrings\n"
    for i in 1...4000 { text += "  \(i) \"a string that takes some room on the disk, number \(i)\"\n" }
    try folder.file("big.txt", text + "end\n")
    let result = try Program(shell: "ulimit -f 16; exec \"$0\" assemble big.txt -o out.rltrace").run(
      [Program.rltrace.path], folder: folder.path)
    #expect(result.status == 74, "\(result.errors)")
    #expect(result.errorLines.count == 1)
    #expect(folder.names == ["big.txt"])
    let full = try Program(shell: "exec \"$0\" info \"$1\" > /dev/full").run(
      [Program.rltrace.path, try folder.file("small", try small())])
    #expect(full.status == 74)
    #expect(full.errors.contains("No space left"))
    for help in ["--help", "analyze --help", "--version", "gate --print-budget"] {
      let lost = try Program(shell: "exec \"$0\" \(help) > /dev/full").run([Program.rltrace.path])
      #expect(lost.status == 74 && lost.errors.contains("No space left"), "\(help)")
    }
  }

  @Test func wrongUsage() throws {
    let path = try folder.file("small", try small())
    for arguments in [
      [], ["record"], ["record", "--scenario", "nobody-knows"], ["info"],
      ["analyze", path, "--mode", "no such mode"],
      ["analyze", path, "--thread", "no such thread"], ["analyze", path, "--from", "2", "--to", "1"],
      ["analyze", path, "--gap-threshold", "soon"], ["analyze", path, "--format", "xml"], ["assemble", path],
      ["nonsense"],
    ] {
      let result = try Program.rltrace.run(arguments)
      // Without a subcommand, the program prints its help.
      #expect(result.status == (arguments.isEmpty ? 0 : 64), "\(arguments): \(result.errors)")
    }
  }

  /// Kinds and blocks of a later version are skipped and counted, and are not an error.
  @Test func laterKindsAreSkipped() throws {
    let text = """
      rltrace-text 1
      header minor=7 unit=10ns codec=none capture=callouts clock=virtual high=no
      info
        "recorder" "rltrace 9.0.0 (trace format 1.7)"
      unknown type=99 count=1 thread=0 first=0 last=0 plain=2
        beef
      events thread=0
        0 Entry.low m1 #1
        5 kind-250 #9 arg=1 arg=2
        9 Exit.low m1 #1
      end

      """
    let path = folder.file("later.rltrace")
    let assembled = try Program.rltrace.run(["assemble", "-", "-o", path], input: text)
    #expect(assembled.status == 0, "\(assembled.errors)")
    let result = try Program.rltrace.run(["analyze", path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("1 event and 1 block of kinds that this version does not know were"))
    let message =
      "trace format 1.7, written by rltrace 9.0.0 (trace format 1.7); this rltrace reads up to "
      + "\(FileHeader.version) and skips what is newer: update rltrace"
    // Joins the lines of the text.
    let words = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains(message), "\(words)")
    let info = try Program.rltrace.run(["info", path]).output
    #expect(info.contains(message), "\(info)")
    for command in [["analyze", path, "--format", "json"], ["validate", path, "--format", "json"]] {
      let document = try Program.rltrace.run(command).output
      #expect(document.contains("\"written_by\" : \"rltrace 9.0.0 (trace format 1.7)\""), "\(document)")
    }
    // Known formats have no such message.
    let sample = try Program.rltrace.run(["analyze", SampleTraces.virtual("modes")]).output
    #expect(!sample.contains("update rltrace"))
  }

  /// Two blocks of one thread, the second older than the first: the error is reported, and nothing is analyzed.
  @Test func timeThatGoesBackwards() throws {
    let text = """
      rltrace-text 1
      header minor=0 unit=10ns codec=none capture=callouts clock=virtual high=no
      events thread=0
        5000 Entry.low m1 #1
        9000 Exit.low m1 #1
      events thread=0
        10 Entry.low m1 #1
        20 Exit.low m1 #1
      end

      """
    let path = folder.file("backwards.rltrace")
    try #require(try Program.rltrace.run(["assemble", "-", "-o", path], input: text).status == 0)
    try expectFailure(["analyze", path], status: 65, "block 1", "older than those before")
  }

  /// Times up to the maximum of the format: analyzing commands report them in one sentence.
  @Test(arguments: [
    ["analyze"], ["analyze", "--format", "json"], ["report", "-o", "-"],
    ["export", "--table", "passes"], ["export", "--table", "timer_fires", "--format", "jsonl"],
  ])
  func timesBeyondAnyLife(command: [String]) throws {
    let path = SampleTraces.path("frozen/1.0/sample-none.rltrace")
    try expectFailure(command + [path], status: 65, "beyond the limit of two years")
  }

  /// No other output path is suggested: it would have the same limit.
  @Test func theFileSizeLimitIsReported() throws {
    let result = try folder.shell("ulimit -f 100; exec \"$0\" record -o limited.rltrace \"$1\" timers 5")
    #expect(result.status == 74 && result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains("102400 bytes") && result.errors.contains("ulimit -f"), "\(result.errors)")
    #expect(!result.errors.contains("-o"), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("limited.rltrace")))
  }
}
