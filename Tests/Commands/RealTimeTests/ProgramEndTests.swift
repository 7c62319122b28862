import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

/// The ends of recorded programs and of their children, according to the trace.
@Suite(.ownThread) struct ProgramEndTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a line of bash in which `$0` is rltrace and `$1` is field-programs. The Swift runtime's own crash report
  /// is off.
  @discardableResult
  private func run(_ line: String, status: Int32 = 0) throws -> Program.Result {
    let result = try Program(shell: "export SWIFT_BACKTRACE=enable=no; \(line)").run(
      [Program.rltrace.path, Program("field-programs").path], folder: folder.path)
    #expect(result.status == status, "\(result)")
    return result
  }

  private func analysis(_ name: String = "out.rltrace") throws -> Analysis {
    let reader = try openTrace(path: folder.file(name))
    #expect(reader.isClean)
    return try TraceAnalyzer(reader).analyze()
  }

  private func record(_ way: String, status: Int32) throws -> Analysis {
    try run("\"$0\" record -q -o out.rltrace -- \"$1\" ends \(way)", status: status)
    return try analysis()
  }

  /// Returns the analysis of the only other process's trace.
  private func other() throws -> Analysis {
    let names = folder.names.filter { $0 != "out.rltrace" && $0.hasSuffix(".rltrace") }
    #expect(names.count == 1, "\(folder.names)")
    return try analysis(names[0])
  }

  @Test(arguments: [0, 3, 255])
  func anExit(status: Int32) throws {
    let analysis = try record("exit \(status)", status: status == 0 ? 0 : status)
    #expect(analysis.end.kind == .exited && analysis.end.status == UInt64(status))
    #expect(analysis.end.callouts.isEmpty)
    #expect(analysis.findings.contains { $0.rule == .abnormalEnd } == (status != 0))
    let info = try run("\"$0\" info out.rltrace").output
    #expect(info.contains("end            exited with status \(status) at "), "\(info)")
    #expect(info.contains("closed         clean"))
  }

  @Test func anExitInsideACallout() throws {
    let analysis = try record("exit-in-timer 3", status: 3)
    #expect(analysis.end.status == 3 && analysis.end.innermost.map(\.kind) == ["timer"])
  }

  /// The program of a public bug report: dispatch traps in a timer's callout.
  @Test func aTrapInsideACallout() throws {
    try run("\"$0\" record -q -o out.rltrace -- \"$1\" sync-on-main", status: 132)
    let analysis = try analysis()
    #expect(analysis.end.kind == .signalled && analysis.end.signalName == "SIGILL")
    let running = try #require(analysis.end.innermost.first)
    #expect(
      running.kind == "timer" && running.name == "closure #1 in Deadlocks.syncOnMain(_:)", "\(running)"
    )
    #expect(analysis.verdict.rule == .abnormalEnd && analysis.verdict.severity == .error)
    #expect(
      analysis.verdict.text.contains("on thread main had been running for "), "\(analysis.verdict.text)")
    let text = try run("\"$0\" analyze out.rltrace").output
    #expect(text.contains("End: killed by SIGILL (illegal instruction) at "), "\(text)")
    #expect(text.contains("Callouts that were running at the end"))
  }

  @Test func aCrashOutsideAnyLoop() throws {
    let analysis = try record("crash-outside", status: 139)
    #expect(analysis.end.signalName == "SIGSEGV" && analysis.end.callouts.isEmpty)
    #expect(analysis.verdict.text.contains("No recorded callout was running"), "\(analysis.verdict.text)")
  }

  @Test func anAbortInAMainQueueBlock() throws {
    let analysis = try record("abort-in-block", status: 134)
    #expect(analysis.end.signalName == "SIGABRT")
    #expect(analysis.end.callouts.map(\.kind) == ["mainQueueBlock", "mainQueueDrain"])
  }

  /// The main thread sleeps in its loop, so nothing is reported about it.
  @Test func aCrashOfAnotherThread() throws {
    let analysis = try record("second-thread", status: 139)
    #expect(analysis.end.signalName == "SIGSEGV" && analysis.end.callouts.isEmpty)
    #expect(analysis.verdict.rule == .abnormalEnd && analysis.verdict.severity == .error)
  }

  /// Starts a program that waits in its loop, and runs a script that acts on `$program` or its recorder, `$recorder`.
  private func idle(
    _ then: String, options: String = "", way: String = "idle", status: Int32
  ) throws -> Analysis {
    try run(
      """
      "$0" record -q -o out.rltrace \(options) -- "$1" ends \(way) >said & recorder=$!
      until grep -qs idle said; do sleep 0.02; done
      read -r program _ </proc/$recorder/task/$recorder/children
      \(then)
      wait $recorder
      """, status: status)
    return try analysis()
  }

  @Test func killedByAnother() throws {
    let analysis = try idle("kill -9 $program", status: 137)
    #expect(analysis.end.signalName == "SIGKILL" && analysis.verdict.severity == .error)
    #expect(analysis.verdict.remedy.contains("The trace does not record the sender"))
  }

  @Test func askedToEndByAnother() throws {
    let analysis = try idle("kill -TERM $program", status: 143)
    #expect(analysis.end.kind == .signalled && analysis.verdict.severity == .warning)
  }

  /// A signal that the recorder passes on is not a fault.
  @Test func askedToEndThroughTheRecorder() throws {
    let analysis = try idle("kill -TERM $recorder", status: 143)
    #expect(analysis.end.kind == .stopped && analysis.end.signalName == "SIGTERM")
    #expect(analysis.verdict.outcome == .clear)
  }

  /// Starts `idle` in a wrapper that survives SIGTERM, and runs a script that acts on `$program` or `$recorder`.
  private func wrapped(_ then: String) throws -> Analysis {
    try run(
      """
      "$0" record -q -o out.rltrace -- bash -c 'trap : TERM; "$0" ends idle; exit 0' "$1" >said & recorder=$!
      until grep -qs idle said; do sleep 0.02; done
      read -r wrapper _ </proc/$recorder/task/$recorder/children
      read -r program _ </proc/$wrapper/task/$wrapper/children
      \(then)
      wait $recorder
      """)
    return try analysis()
  }

  /// As Ctrl-C: the recorder and all processes get the signal.
  @Test func aChildThatIsAskedToEnd() throws {
    let analysis = try wrapped("kill -TERM $recorder $program")
    #expect(analysis.end.kind == .stopped && analysis.end.signalName == "SIGTERM", "\(analysis.end)")
    #expect(analysis.verdict.outcome == .clear)
  }

  @Test func aChildThatAnotherAsksToEnd() throws {
    let analysis = try wrapped("kill -TERM $program")
    #expect(analysis.end.kind == .signalled && analysis.verdict.severity == .warning, "\(analysis.end)")
  }

  /// A request to end hides no crash.
  @Test func aChildThatCrashesWhenItIsAskedToEnd() throws {
    let analysis = try wrapped("kill -TERM $recorder; kill -SEGV $program")
    #expect(analysis.end.signalName == "SIGSEGV" && analysis.verdict.severity == .error, "\(analysis.end)")
  }

  @Test func endedByItsRecording() throws {
    let analysis = try idle("true", options: "--duration 1s --stop", status: 0)
    #expect(analysis.end.kind == .running && analysis.verdict.outcome == .clear)
  }

  @Test func continuesAfterItsRecording() throws {
    try run(
      """
      "$0" record -q -o out.rltrace --duration 0.5s -- "$1" ends idle >said & recorder=$!
      until [ -e out.rltrace ]; do sleep 0.02; done
      kill -9 $(cat /proc/$recorder/task/$recorder/children); wait $recorder
      """, status: 137)
    #expect(try analysis().end.kind == .running)
  }

  /// The end was not seen: the trace contains the time from which nothing is recorded.
  @Test func aRecorderThatIsKilled() throws {
    let analysis = try idle(
      """
      kill -9 $recorder; wait $recorder 2>/dev/null; kill -9 $program
      while [ -d /proc/$program ]; do sleep 0.02; done; "$0" recover out.rltrace 2>/dev/null; exit 0
      """, status: 0)
    #expect(analysis.end.kind == .unknown && analysis.trace.hasUnknownEnd)
    #expect(try run("\"$0\" info out.rltrace").output.contains("not known: nothing was recorded after "))
  }

  /// The program itself recorded how it ended.
  @Test func aRecorderThatIsKilledBeforeAnExit() throws {
    let end = try idle(
      """
      kill -9 $recorder; wait $recorder 2>/dev/null; touch end
      while [ -d /proc/$program ]; do sleep 0.02; done; "$0" recover out.rltrace.spool; exit 0
      """, way: "exit-later 7", status: 0
    ).end
    #expect(end.kind == .exited && end.status == 7, "\(end)")
  }

  @Test func aForkedChildThatCrashes() throws {
    #expect(try record("forked", status: 0).end.kind == .exited)
    let child = try other()
    #expect(child.end.signalName == "SIGSEGV" && child.end.innermost.map(\.kind) == ["timer"])
    #expect(child.verdict.rule == .abnormalEnd)
  }

  @Test(arguments: [("crash-in-timer", "SIGSEGV"), ("abort-in-block", "SIGABRT"), ("exit 4", nil)])
  func aSpawnedChild(way: String, signal: String?) throws {
    #expect(try record("spawned \(way)", status: 0).end.kind == .exited)
    let end = try other().end
    #expect(end.signalName == signal && end.status == (signal == nil ? 4 : nil), "\(end)")
  }

  /// The child of an interpreter that runs no loop itself.
  @Test func aChildOfAShell() throws {
    try run("\"$0\" record -q -o out.rltrace -- bash -c '\"$0\" ends crash-in-timer; exit 0' \"$1\"")
    #expect(try analysis().end.signalName == "SIGSEGV")
  }

  /// The process continues with another program, which has its own trace.
  @Test func anExecutedProgram() throws {
    #expect(try record("execute exit 3", status: 3).end.kind == .executed)
    let end = try other().end
    #expect(end.kind == .exited && end.status == 3, "\(end)")
  }

  @Test func anExecutedProgramThatCrashes() throws {
    #expect(try record("execute crash-in-timer", status: 139).end.kind == .executed)
    #expect(try other().end.signalName == "SIGSEGV")
  }
}
