import Foundation
import TestSupport
import Testing

/// The recorder must not harm a program: code that it does not record runs as it would without
/// the recorder.
@Suite(.ownThread) struct HarmlessTests {
  static let moments = [
    "never", "before", "child", "inherited", "inherited-run", "in-callout block", "in-callout item",
    "in-callout timer", "exit", "exit late", "thread-end", "signal", "stopped 0.2",
  ]

  private func record(_ program: Program, _ arguments: [String] = [], _ options: [String] = []) throws
    -> RecordedProgram
  {
    try RecordedProgram(program, arguments, options: ["--allow-empty"] + options)
  }

  private func expectSame(_ run: RecordedProgram, _ what: String) throws {
    let plain = try run.plain
    #expect(plain.status == 0, "\(what): \(plain.errors)")
    #expect(run.recorded.status == 0, "\(what): \(run.recorded.errors)")
    #expect(lines(run.recorded.output) == lines(plain.output), "\(what)")
  }

  /// Returns the lines sorted: a child may write before its parent.
  private func lines(_ output: String) -> [Substring] { output.split(separator: "\n").sorted() }

  @Test(arguments: moments) func everythingUsed(_ moment: String) throws {
    let arguments = ["unrecorded"] + moment.split(separator: " ").map(String.init)
    try expectSame(record(.loopPrograms, arguments), moment)
  }

  @Test(arguments: moments) func everythingUsedInAChild(_ moment: String) throws {
    let program = Program(shell: "'\(Program.loopPrograms.path)' unrecorded \(moment); exit $?")
    try expectSame(record(program), moment)
    try expectSame(record(program, [], ["--no-children"]), moment)
  }

  @Test func operationsInAChildThatRunsNoLoop() throws {
    let program = Program(shell: "'\(Program("field-programs").path)' operations; exit $?")
    for _ in 0..<3 { try expectSame(record(program), "operations") }
  }

  /// The program continues after the recording has ended.
  @Test func afterTheRecording() throws {
    try expectSame(record(.loopPrograms, ["unrecorded", "stopped", "1"], ["--duration", "0.3s"]), "stopped")
  }

  /// A thread that is being cancelled may end the process, or execute another program.
  @Test(arguments: ["exit", "_exit", "exec"]) func endByACancelledThread(way: String) throws {
    let folder = try TemporaryFolder()
    let program = """
      #include <pthread.h>
      #include <stdlib.h>
      #include <string.h>
      #include <unistd.h>
      static void *end(void *way) {
        pthread_cancel(pthread_self());
        if (strcmp(way, "exit") == 0) exit(3);
        if (strcmp(way, "_exit") == 0) _exit(3);
        execl("/bin/sh", "sh", "-c", "exit 3", NULL);
        return NULL;
      }
      int main(int count, char **arguments) {
        pthread_t thread;
        if (count == 2 && pthread_create(&thread, NULL, end, arguments[1]) == 0) pthread_join(thread, NULL);
        return 1;
      }
      """
    try program.write(toFile: folder.file("main.c"), atomically: true, encoding: .utf8)
    let built = try Program(shell: "clang -o cancelled main.c -lpthread").run([], folder: folder.path)
    try #require(built.status == 0, "\(built.errors)")
    let run = try record(Program(path: folder.file("cancelled")), [way])
    #expect(try run.plain.status == 3 && run.recorded.status == 3, "\(run.recorded)")
  }

  /// A spool adapts its size: a program with little address space keeps most of it.
  @Test(arguments: Array(stride(from: 200, through: 700, by: 50))) func addressSpace(megabytes: Int) throws {
    let line = "ulimit -v \(megabytes * 1024); exec timeout 20 '\(Program.loopPrograms.path)' crowd"
    try expectSame(record(Program(shell: line)), "\(megabytes) MB")
  }

  /// A program without room for a spool is not recorded, and the recorder reports that.
  @Test func tooLittleAddressSpace() throws {
    let line = "ulimit -v 150000; exec timeout 20 '\(Program.loopPrograms.path)' timers 5"
    let run = try record(Program(shell: line))
    guard try run.plain.status == 0 else { return }
    try expectSame(run, "150 MB")
    let isSaid = run.recorded.errors.contains("not recorded")
    #expect(run.folder.names.isEmpty == isSaid, "\(run.recorded.errors)")
  }

  /// Swift's crash handler stops all threads, and reports those that it cannot stop.
  @Test func crash() throws {
    let run = try RecordedProgram(.loopPrograms, ["trap"])
    let plain = try run.plain
    guard plain.errors.contains("Backtracing") else { return }
    #expect(run.recorded.errors.contains("Backtracing"))
    #expect(!run.recorded.errors.contains("failed to suspend"), "\(run.recorded.errors)")
    let threads = { (text: String) in
      text.split(separator: "\n").filter { $0.hasPrefix("Thread ") }.map { $0.prefix { $0 != "\"" } }
    }
    #expect(threads(run.recorded.errors) == threads(plain.errors))
    // The recorder's own frames do not hide those behind them.
    let callers = { (text: String) in
      text.split(separator: "\n").filter {
        $0.contains(" in libFoundation.so") && !$0.contains("librltrace-preload")
      }
      .map { line in
        line.split(separator: " ").drop { !$0.hasPrefix("0x") }.dropFirst().joined(separator: " ")
      }
    }
    #expect(callers(run.recorded.errors) == callers(plain.errors), "\(run.recorded.errors)")
  }
}
