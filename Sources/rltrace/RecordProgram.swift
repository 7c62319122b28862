import ArgumentParser
import CRLTraceShims
import Foundation
import ProgramRecorder
import TraceCompression
import TraceFormat
import TraceRecorder

/// `rltrace record -- COMMAND`.
struct RecordProgram {
  let command: [String]
  let options: ProgramOptions
  let isQuiet: Bool

  /// Runs the program to its end. Returns its status, or ours when it ended well and the trace did not.
  func run() throws -> Int32 {
    if let reason = NoRunReason.beforeStart(command: command[0]) { Terminal.complain(reason) }
    // Before any thread is made: threads inherit the mask.
    let signals = ChildProgram.blockSignals()
    let recording: ProgramRecording
    do throws(RecordingError) {
      recording = try ProgramRecording(options)
    } catch {
      throw Record.failure(error, options.output)
    }
    var child: ChildProgram
    do throws(LaunchError) {
      child = try ChildProgram(
        command: command, environment: recording.environment.applied(to: RecordProgram.environment),
        signals: signals, ignoredHere: RLTrace.signalsIgnoredHere)
    } catch {
      recording.end()
      let status: ExitStatus = error.code == ENOENT || error.code == ENOTDIR ? .notFound : .notExecutable
      throw Failure(
        status: status, message: "cannot start \(command[0]): \(String(cString: strerror(error.code)))")
    }
    let end = child.wait(
      tick: {
        recording.tick()
        reportSnapshots(recording)
      }, onUserSignal: { recording.requestSnapshots() },
      onStop: { recording.noteStop(signal: $0) }, onContinue: { recording.noteContinue() })
    recording.tick()
    recording.end()
    reportSnapshots(recording)
    return report(recording, end)
  }

  private func report(_ recording: ProgramRecording, _ end: ProgramEnd) -> Int32 {
    var status = end.status
    for trace in recording.traces {
      switch trace.outcome {
      case .success(let summary):
        let dropped = summary.droppedEvents == 0 ? "" : ", \(summary.droppedEvents) older ones dropped"
        say(
          "recorded \(summary.events) events\(dropped), \(summary.bytes) bytes, \(summary.lostEvents) lost: "
            + trace.path)
      case .failure(let error):
        let failure = Record.failure(error, trace.path)
        Terminal.complain(failure.message)
        if status == 0 { status = failure.status.rawValue }
      }
    }
    if !recording.sawRun {
      say("no run loop was seen: \(NoRunReason.afterEnd(command: command[0], recording.rootSpool))")
    }
    return status
  }

  private func reportSnapshots(_ recording: ProgramRecording) {
    for snapshot in recording.takeSnapshots() {
      switch snapshot.outcome {
      case .success(let summary):
        say(
          "snapshot (\(snapshot.reason)): \(summary.events) events, \(summary.bytes) bytes: \(snapshot.path)")
      case .failure(let error): Terminal.complain(Record.failure(error, snapshot.path).message)
      }
    }
  }

  private func say(_ message: String) {
    if !isQuiet { Terminal.complain(message) }
  }

  /// As it is, order and all.
  private static var environment: [String] {
    var entries: [String] = []
    var at = environ
    while let entry = at.pointee {
      entries.append(String(cString: entry))
      at += 1
    }
    return entries
  }
}
