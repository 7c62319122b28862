import Foundation
import TestSupport
import Testing
import TraceFormat

/// `rltrace recover` with a recording's name, with a folder, and with names without any files to recover.
@Suite(.ownThread) struct RecoverByNameTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Records five fires into a spool of small rings.
  private func makeSpool(_ name: String) throws {
    let made = try folder.shell(
      "env $(\"$0\" record --print-env -o \(name) | sed s/slots=[0-9]*/slots=4096/) \"$1\" timers 5")
    try #require(made.status == 0, "\(made.errors)")
  }

  private func events(_ name: String) throws -> Int {
    let reader = try openTrace(path: folder.file(name))
    #expect(reader.isClean)
    return try reader.allEvents().flatMap { $0 }.count
  }

  @Test(arguments: [
    "app", "app.rltrace", "./app.rltrace", "app.rltrace.part", "app.rltrace.spool", ".", "../$d",
  ])
  func oneSpool(word: String) throws {
    try makeSpool("app.rltrace")
    let result = try folder.shell("d=${PWD##*/}; \"$0\" recover \(word)")
    #expect(result.status == 0 && result.errorLines.count == 1, "\(result.errors)")
    #expect(folder.names == ["app.rltrace"])
    #expect(try events("app.rltrace") > 10)
  }

  /// Each spool is recovered once, however many arguments name it.
  @Test func severalWords() throws {
    try makeSpool("app.rltrace")
    try makeSpool("other.rltrace")
    let result = try folder.shell("\"$0\" recover app app.rltrace.spool \"$PWD\" other.rltrace")
    #expect(result.status == 0 && result.errorLines.count == 2, "\(result.errors)")
    #expect(folder.names == ["app.rltrace", "other.rltrace"])
  }

  /// A recording consists of all its processes. A process that recorded nothing is not a failure when another one
  /// did.
  @Test func spoolsOfOtherProcesses() throws {
    try makeSpool("app.rltrace")
    try makeSpool("app.77.rltrace")
    try Data().write(to: URL(fileURLWithPath: folder.file("app.78.rltrace.spool")))
    let refused = try folder.shell("\"$0\" recover app.rltrace -o new.rltrace")
    #expect(refused.status == 64 && refused.errorLines.count == 1, "\(refused.errors)")
    #expect(
      refused.errors.contains("3 spools") && refused.errors.contains("app.77.rltrace.spool"),
      "\(refused.errors)")
    let result = try folder.shell("\"$0\" recover app.rltrace")
    #expect(result.status == 0, "\(result.errors)")
    #expect(folder.names == ["app.77.rltrace", "app.78.rltrace.spool", "app.rltrace"])
  }

  /// Some file systems, such as ext4, give the identity of a removed spool to the next trace.
  @Test func spoolsOfManyProcesses() throws {
    let names = ["app.rltrace", "app.76.rltrace", "app.77.rltrace", "app.78.rltrace"]
    for name in names { try makeSpool(name) }
    let result = try folder.shell("\"$0\" recover app.rltrace")
    #expect(result.status == 0 && result.errorLines.count == names.count, "\(result.errors)")
    #expect(folder.names == names.sorted())
  }

  /// The partly written trace of a killed recorder is found, whatever its name was to be.
  @Test(arguments: ["app.rltrace", "app", "app.trace"], ["", "--max-size 64M"])
  func theParts(trace: String, options: String) throws {
    _ = try folder.shell(
      """
      "$0" record -q \(options) -o \(trace) -- "$1" timers 100000 & recorder=$!
      for i in $(seq 500); do
        [ $(cat \(trace).*part 2>/dev/null | wc -c) -gt 4000 ] && break; sleep 0.02
      done
      kill -9 $recorder $(cat /proc/$recorder/task/$recorder/children); wait $recorder
      """)
    for word in [trace, spool(of: trace)] {
      let copy = try folder.shell(
        "rm -rf copy; mkdir copy; cp -p \(trace)* copy; cd copy; exec \"$0\" recover \(word)")
      #expect(copy.status == 0 && copy.errorLines.count == 1, "\(word): \(copy.errors)")
      #expect(!copy.errors.contains("(0 were already written)"), "\(word): \(copy.errors)")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("copy"))
      #expect(names == [trace], "\(word)")
    }
  }

  private func spool(of trace: String) -> String {
    (trace.hasSuffix(".rltrace") ? trace : trace + ".rltrace") + ".spool"
  }

  /// The command prints one line with the files that it found and a remedy.
  @Test func nothingToRecover() throws {
    try Data(SampleTraces.bytes(virtual: "modes")).write(
      to: URL(fileURLWithPath: folder.file("whole.rltrace")))
    let cut = try Data(SampleTraces.bytes(virtual: "modes")).dropLast(100)
    try cut.write(to: URL(fileURLWithPath: folder.file("cut.rltrace")))
    try cut.write(to: URL(fileURLWithPath: folder.file("begun.rltrace.part")))
    try FileManager.default.createDirectory(atPath: folder.file("empty"), withIntermediateDirectories: false)
    let before = folder.names
    for (word, status, what) in [
      ("whole", Int32(66), "whole.rltrace is a complete trace"), ("whole.rltrace", 66, "is a complete trace"),
      ("cut", 66, "`rltrace analyze cut.rltrace`"), ("begun", 66, "`rltrace analyze begun.rltrace.part`"),
      ("begun.rltrace", 66, "begun.rltrace.spool with the rest does not"),
      ("begun.rltrace.part", 66, "begun.rltrace.spool"),
      ("empty", 66, "this folder has no NAME.rltrace.spool"), ("none", 66, "no such file"),
      ("none.rltrace", 66, "none.rltrace.spool does not exist"),
      ("none.rltrace.segment3", 66, "none.rltrace.spool does not exist"),
      ("/proc/version", 65, "not a spool"), ("none/", 66, "no such folder"), ("", 66, "cannot open"),
      ("none.spool", 66, "cannot open: No such file"),
    ] {
      let result = try Program.rltrace.run(["recover", word], folder: folder.path)
      #expect(result.status == status && result.errorLines.count == 1, "\(word): \(result)")
      #expect(result.errors.contains(what), "\(word): \(result.errors)")
    }
    #expect(folder.names == before)
  }
}
