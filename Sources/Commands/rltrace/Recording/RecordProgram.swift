import ArgumentParser
import Foundation
import ProgramRecorder
import SystemSupport
import TraceFormat
import TraceRecorder
import TraceResults

/// Implements `rltrace record COMMAND`.
struct RecordProgram {
  /// The command for messages.
  let command: [String]
  /// The arguments in raw bytes, for the program.
  let arguments: [SystemText]
  let options: ProgramOptions
  let isQuiet: Bool
  /// Whether an empty recording counts as a success.
  let allowsEmpty: Bool
  /// Whether the program ends with its recording.
  let stops: Bool
  /// Whether the trace gets functions, files and lines.
  let namesCode: Bool
  /// The view of the recording in this terminal; nil = there is none.
  let view: BesideView?
  /// The rules that are judged meanwhile; nil = there are none.
  let rules: LiveRules?

  /// The time without a run loop after which a message is printed.
  private static let timeLimitNs: UInt64 = 3_000_000_000

  /// Runs the program to its end. Returns its status, or the command's own if the program succeeded and the trace did
  /// not.
  func run() throws -> Int32 {
    let environment = RecordProgram.environment
    // If the program cannot start, no recording begins.
    let file: SystemText
    do throws(LaunchError) {
      file = try ProgramFile.find(
        arguments[0], searchPath: environment.lazy.compactMap { $0.value(of: "PATH") }.first)
    } catch {
      throw failure(error)
    }
    let reason = NoRunReason(
      command: command[0], file: file.text, recordsAllQueues: options.recordsAllQueues)
    // Called before any thread starts, because threads inherit the mask.
    let signals = ChildProgram.blockSignals()
    let recording: ProgramRecording
    do throws(RecordingError) {
      recording = try ProgramRecording(options)
    } catch {
      throw Record.failure(toBegin: error, options.output)
    }
    if let obstacle = reason.beforeStart { Terminal.complain(obstacle) }
    var child: ChildProgram
    do throws(LaunchError) {
      child = try ChildProgram(
        command: arguments, environment: recording.environment.applied(to: environment), signals: signals,
        ignoredHere: IgnoredSignals.here, output: view?.output)
    } catch {
      recording.end()
      throw failure(error)
    }
    view?.start(recording.output, beside: child, environment)
    rules?.start()
    let process = child.processID
    var stop = ProgramStop()
    // The message is not repeated if the obstacle was reported early.
    var hasReportedNone = isQuiet || reason.beforeStart != nil
    var endedFirst = false
    var hasReportedStop = isQuiet
    let end = child.wait(
      tick: { shared in
        recording.sharedSignals = shared
        recording.tick()
        rules?.watch(recording.underWay)
        view?.tick(isQuiet: isQuiet || recording.isOver)
        reportSnapshots(recording)
        if !hasReportedNone, view?.isOpen != true, !recording.isOver,
          recording.elapsedNs >= RecordProgram.timeLimitNs
        {
          hasReportedNone = true
          if !recording.sawRun {
            Terminal.complain(
              "no \(recorded) ran yet: \(reason.soFar(recording.rootSpool, process: process)); still recording"
            )
          }
        }
        if recording.isOver {
          if !endedFirst {
            endedFirst = true
            reportEmpty(recording, reason, process, nil)
          }
          if !hasReportedStop, view?.isOpen != true {
            hasReportedStop = true
            reportStop(recording)
          }
          if stops { stop.tick([process] + recording.livingChildren) }
        }
        return recording.isBusy
      }, onUserSignal: { recording.requestSnapshots() },
      onStop: { recording.noteStop(signal: $0) }, onContinue: { recording.noteContinue() })
    recording.sharedSignals = child.sharedSignals
    recording.noteEnd(of: process, child.knowsEnd ? end : nil)
    recording.tick()
    let notes = rules?.end() ?? []
    recording.end()
    view?.waitForEnd()
    if stop.hasAsked { stop.finish { recording.livingChildren } }
    reportSnapshots(recording)
    for note in notes { report(note) }
    if !endedFirst { reportEmpty(recording, reason, process, end) }
    let naming = namesCode ? RecordedNaming(completed(recording), codecs: options.codecs) : nil
    if let naming { report(naming) }
    if stop.hasKilled { report("\(command[0]) did not end within 5 s of SIGTERM and was killed") }
    return report(recording, naming, stop.hasAsked ? 0 : end.status)
  }

  /// The kinds of loops and queues that are recorded, in words.
  private var recorded: String {
    switch (options.recordsEventLoops, options.recordsAllQueues) {
    case (false, false): "run loop"
    case (true, false): "run loop or event loop"
    case (false, true): "run loop or queue"
    case (true, true): "run loop, event loop or queue"
    }
  }

  private func failure(_ error: LaunchError) -> Failure {
    let status: ExitStatus = error.code == ENOENT || error.code == ENOTDIR ? .notFound : .notExecutable
    let untouched = EarlierNotes.untouched(options.output, TraceFile.isTrace(options.output))
    return Failure(
      status: status,
      message:
        "cannot start \(ShellWords.line([command[0]])): \(String(cString: strerror(error.code)))\(untouched)")
  }

  private func report(_ naming: RecordedNaming) {
    for (path, error) in naming.failures {
      Terminal.complain("\(path) has no function names: \(error); `rltrace symbolicate` can add them")
    }
    if naming.isOutOfTime {
      Terminal.complain(
        "naming code took too long: \(naming.withLines) of \(Phrase.count(UInt64(naming.addresses), "address", "addresses")) "
          + "have file and line; `rltrace symbolicate` finds the others")
    } else if let advice = naming.lineReaderAdvice, naming.addresses > 0 {
      report(advice)
    } else if let program = naming.programWithoutLines {
      report(
        "\(harmless(program)) was built without debug information, so its functions have no files and lines; compile with -g"
      )
    }
  }

  private func report(_ recording: ProgramRecording, _ naming: RecordedNaming?, _ endStatus: Int32) -> Int32 {
    var status = endStatus
    for trace in recording.traces {
      switch trace.outcome {
      case .success(let summary):
        // Lost data is reported even with `--quiet`.
        if let loss = Record.loss(summary, trace.path) {
          Terminal.complain(loss.message)
          if status == 0 { status = loss.status.rawValue }
        } else if isQuiet, summary.lostEvents > 0 {
          let lost = Phrase.count(summary.lostEvents, "event was", "events were")
          Terminal.complain("\(lost) lost because rings were full: \(trace.path)")
        }
        let dropped = summary.droppedEvents == 0 ? "" : ", \(summary.droppedEvents) older ones dropped"
        let size = naming?.sizes[trace.path] ?? (summary.events, summary.bytes)
        let lost = summary.cut != nil ? "an unknown number" : "\(summary.lostEvents)"
        report(
          "recorded \(size.events) events\(dropped), \(size.bytes) bytes, \(lost) lost: "
            + "\(typed(trace.path, recording))"
        )
      case .failure(let error):
        let failure = Record.failure(error, trace.path, spoolTakenFrom: recording.spoolTakenFrom)
        Terminal.complain(failure.message)
        if status == 0 { status = failure.status.rawValue }
      }
    }
    if recording.sawRun, let place = recording.spoolTakenFrom {
      Terminal.complain(
        "another process moved or removed \(place): processes that began later were not recorded")
      if status == 0 { status = ExitStatus.ioError.rawValue }
    }
    reportLeftOut(recording)
    reportEarlier(recording)
    let others = recording.stillRunning
    if others > 0 {
      report(
        "\(others) more \(others == 1 ? "process was" : "processes were") still running when the recording ended with "
          + "\(command[0]); their later events were not recorded")
    }
    if !recording.sawRun, !allowsEmpty, status == 0 { status = ExitStatus.noInput.rawValue }
    if !isQuiet, let trace = mostTelling(recording) {
      EarlierNotes.next(
        typed(trace, recording),
        kept: trace == recording.output ? recording.earlier.kept.map { typed($0, recording) } : [])
    }
    return status
  }

  /// Returns the written traces, the one with the user's name first.
  private func completed(_ recording: ProgramRecording) -> [String] {
    let paths = recording.traces.compactMap { trace in
      if case .success = trace.outcome { trace.path } else { nil }
    }
    return paths.filter { $0 == recording.output } + paths.filter { $0 != recording.output }
  }

  /// Returns the written trace with the most events. The command may only start the program that matters, as `swift
  /// test` does.
  private func mostTelling(_ recording: ProgramRecording) -> String? {
    var most: (events: UInt64, path: String)?
    for path in completed(recording) {
      guard case .success(let summary)? = recording.traces.first(where: { $0.path == path })?.outcome,
        most.map({ summary.events > $0.events }) ?? true
      else { continue }
      most = (summary.events, path)
    }
    return most?.path
  }

  private func reportEarlier(_ recording: ProgramRecording) {
    if let kept = EarlierNotes.kept(recording.earlier.kept.map { typed($0, recording) }) {
      report(kept)
    } else if recording.sawRun, completed(recording).isEmpty, recording.earlier.hasTrace {
      Terminal.complain("no trace was completed\(EarlierNotes.untouched(options.output, true))")
    }
  }

  /// Returns a file beside the trace in the form in which the user typed the trace's name.
  private func typed(_ path: String, _ recording: ProgramRecording) -> String {
    let folder = Files.folder(of: recording.output)
    // With "..", the folder in the text may differ from the one that the file system finds.
    guard path.hasPrefix(folder), !options.output.contains("..") else { return path }
    let typed = options.output.contains("/") ? Files.folder(of: options.output) : ""
    return typed + path.dropFirst(folder.count)
  }

  private func reportLeftOut(_ recording: ProgramRecording) {
    let spool = recording.rootSpool
    if spool.leftOut > 0 {
      let why =
        switch spool.leftOutError {
        case EAGAIN: "too many processes started at once"
        case ENOTSUP: "it runs in valgrind, where rltrace leaves programs alone"
        case E2BIG: "its environment has no room for rltrace's variables"
        case ENOEXEC:
          "it is a program for musl or another processor, or has a shared address sanitizer, and cannot load rltrace's "
            + "library"
        case let code: "cannot create its spool: \(String(cString: strerror(code)))"
        }
      let who = Phrase.count(UInt64(spool.leftOut), "further process was", "further processes were")
      Terminal.complain("\(who) not recorded\(spool.leftOut == 1 ? "" : "; the last one"): \(why)")
    }
    // If nothing was recorded, this reason is reported elsewhere.
    if recording.sawRun, recording.executedLockedOut {
      Terminal.complain(
        "a program was executed with privileges or a root directory with which it cannot open its spool: its run loops "
          + "were not recorded")
    }
  }

  private func reportEmpty(
    _ recording: ProgramRecording, _ reason: NoRunReason, _ process: Int32, _ end: ProgramEnd?
  ) {
    guard !recording.sawRun, !(allowsEmpty && isQuiet) else { return }
    let further: [String] =
      (options.recordsEventLoops ? [] : ["--loops all records event loops as well"])
      + (options.recordsAllQueues || options.mainThreadOnly || reason.hidesSwiftRuntime
        ? [] : ["--queues all records tasks and all queues as well"])
    Terminal.complain(
      "nothing was recorded, no \(recorded) was seen: \(reason.afterEnd(recording, process: process, end))"
        + (reason.beforeStart == nil ? further : []).map { "; \($0)" }.joined()
        + EarlierNotes.untouched(options.output, recording.earlier.hasTrace)
    )
  }

  /// Reports that the recording has stopped. Code gets names after the program's end.
  private func reportStop(_ recording: ProgramRecording) {
    guard recording.sawRun else { return }
    let trace = mostTelling(recording).map { ": \(typed($0, recording))" } ?? ""
    let naming = namesCode ? "; functions get names when it ends" : ""
    Terminal.complain(
      "the recording stopped\(trace); " + (stops ? "ending the program" : "the program goes on\(naming)"))
  }

  private func reportSnapshots(_ recording: ProgramRecording) {
    for snapshot in recording.takeSnapshots() {
      switch snapshot.outcome {
      case .success(let summary):
        report(
          "snapshot (\(snapshot.reason)): \(summary.events) events, \(summary.bytes) bytes: "
            + "\(typed(snapshot.path, recording))"
        )
      case .failure(let error): Terminal.complain(Record.failure(error, snapshot.path).message)
      }
    }
  }

  private func report(_ message: String) {
    if !isQuiet { Terminal.complain(message) }
  }

  /// The environment unchanged, including its order.
  private static var environment: [SystemText] {
    var entries: [SystemText] = []
    var at = environ
    while let entry = at.pointee {
      entries.append(SystemText(cString: entry))
      at += 1
    }
    return entries
  }
}
