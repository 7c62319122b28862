import ArgumentParser
import Foundation
import ProgramRecorder
import TraceCompression
import TraceFormat
import TraceRecorder
import TraceResults

struct Recover: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Makes the trace of a spool whose recorder was killed, or that had no recorder.",
    discussion: """
      A spool, NAME.rltrace.spool, is left behind when rltrace is killed or finds no room to write, when a program \
      that embeds the tracer crashes, and when a program runs with the variables of `rltrace record --print-env`. \
      recover writes NAME.rltrace from the part that was already written and from all events in the spool. Then it \
      removes the spool. recover keeps a trace of another recording with that name as NAME.old1.rltrace. It does \
      not replace a trace of the same recording that has more events.

      NAME or NAME.rltrace selects all spools of that recording, including those of its other processes. A folder \
      selects all spools in it.

      Examples:
        rltrace recover MyProgram.rltrace
        rltrace recover .
        rltrace recover /var/tmp/service.rltrace.spool -o monday.rltrace --keep
      """)

  @Argument(
    help: "Spools, names of recordings, or folders.",
    completion: .file(extensions: ["spool", "rltrace", "part"]))
  var files: [String]

  @Option(
    name: .shortAndLong,
    help: "The trace to write (default: the spool's name without .spool); - is standard output.",
    completion: .file(extensions: ["rltrace"]))
  var output: String?

  @Flag(help: "Do not remove the spool.")
  var keep = false

  @Flag(help: "Recover even if a process with the id of the program or the recorder is running.")
  var force = false

  @Option(help: "none or zstd. A trace that was already begun keeps its codec.")
  var codec = Choice(CodecID.zstd)

  func validate() throws {
    guard output == nil || files.count == 1 else {
      throw ValidationError("-o names one trace; give one spool, or leave out -o")
    }
    guard let output else { return }
    guard Terminal.isStandardOutput(output) else { return try Output.refuseNameOfRecording(output) }
    if Terminal.outputIsTerminal {
      throw ValidationError("-o - writes bytes that no terminal can show; redirect it to a file or a pipe")
    }
  }

  func run() throws {
    var first: Failure?
    var groups: [[SpoolSearch.Found]] = []
    for file in files {
      do throws(Failure) { groups.append(try SpoolSearch.spools(of: file)) } catch {
        _ = error.report()
        first = first ?? error
      }
    }
    let all = Recover.onceEach(groups.joined().map(\.spool))
    if output != nil, all.count > 1 {
      throw Failure(
        status: .usage,
        message: "-o names one trace, but there are \(all.count) spools; give one of them: "
          + all.prefix(5).joined(separator: ", ") + (all.count > 5 ? " …" : ""))
    }
    try enterFiles(groups.flatMap(\.self))
    var left = all
    for group in groups {
      let wanted = group.filter { found in left.contains(found.spool) }
      left.removeAll { spool in wanted.contains { $0.spool == spool } }
      if let failure = recover(wanted) { first = first ?? failure }
    }
    if let first { throw ExitCode(first.status.rawValue) }
  }

  /// Removes duplicates, because several words may lead to one spool.
  private static func onceEach(_ spools: [String]) -> [String] {
    var places: [FilePlace] = []
    return spools.filter { spool in
      guard let place = FilePlace(path: spool) else { return true }
      guard !places.contains(place) else { return false }
      places.append(place)
      return true
    }
  }

  private func enterFiles(_ spools: [SpoolSearch.Found]) throws(Failure) {
    for (spool, trace) in spools {
      FileUse.read(spool, as: "spool")
      for part in trace.map({ EarlierRecording.unfinished(of: $0).parts }) ?? [] {
        FileUse.read(part, as: "unfinished trace")
      }
    }
    try FileUse.write(Recover.onceEach(output.map { [$0] } ?? spools.compactMap(\.trace)).map { ($0, "-o") })
  }

  /// Recovers the spools and returns the first failure. A process that recorded nothing is not a failure if another
  /// process of the recording did.
  private func recover(_ spools: [SpoolSearch.Found]) -> Failure? {
    var first: Failure?
    var empty: Failure?
    var hasRecovered = false
    for (spool, trace) in spools {
      do {
        try recover(spool, trace)
        hasRecovered = true
      } catch let nothing as NothingRecorded {
        _ = nothing.failure.report()
        empty = empty ?? nothing.failure
      } catch let failure as Failure {
        _ = failure.report()
        first = first ?? failure
      } catch is OutputClosed {
        // The reader of the pipe went away, which is not an error of the command.
        hasRecovered = true
      } catch {
        preconditionFailure("\(error)")
      }
    }
    return first ?? (hasRecovered ? nil : empty)
  }

  /// The spool has never held an event.
  private struct NothingRecorded: Error {
    let failure: Failure
  }

  /// Returns the number of events in the trace that was already recovered from the spool; 0 if there is no readable
  /// one. A trace of another recording is kept, whatever its length.
  private static func events(of path: String, _ spool: Spool) -> UInt64 {
    guard !Terminal.isStandardOutput(path) else { return 0 }
    do throws(TraceFormatError) {
      let reader = try TraceReader(source: FileSource(path: path), codecs: allCodecs)
      return spool.isOther(than: reader) ? 0 : reader.eventCount
    } catch {
      return 0
    }
  }

  /// Recovers one spool. `recorded` is the trace that the spool's recorder was writing, if the spool's name shows it.
  private func recover(_ file: String, _ recorded: String?) throws {
    guard !Spool.isBlank(file) else {
      throw NothingRecorded(
        failure: Failure(
          status: .noInput,
          message:
            "\(file): the spool is empty: its process was killed before it recorded anything; remove the file"
        ))
    }
    guard access(file, R_OK | W_OK) == 0 else {
      throw Failure.reading(file, .system(.opening, code: errno))
    }
    let spool: Spool
    do throws(TraceFormatError) {
      spool = try Spool(opening: file, privately: true)
    } catch {
      throw Failure.reading(file, error)
    }
    // The files beside the spool carry its name, even if the trace is written elsewhere.
    let name = output.flatMap { Terminal.isStandardOutput($0) ? nil : $0 }
    guard let trace = recorded ?? name else {
      throw Failure(
        status: .usage, message: "\(file): the name does not end in .rltrace.spool; name the trace with -o")
    }
    if !force, let process = SpoolRecovery.livingProcess(of: spool) {
      throw Failure(
        status: .unavailable,
        message:
          "\(file): process \(process) still uses it; end it first, or give --force if that is another program"
      )
    }
    let codec = codec.value
    let progress = AnalysisProgress(file: file, what: "recovering")
    defer { progress.finish() }
    let output = output ?? trace
    let earlier = EarlierTraces(of: output, allCodecs) { trace, isOwnName in
      isOwnName ? spool.isOther(than: trace) : spool.isLater(than: trace)
    }
    let outcome: SpoolRecovery.Outcome
    do throws(TraceFormatError) {
      outcome = try SpoolRecovery.recover(
        spool, trace: trace,
        options: RecordingOptions(
          makeCodec: { allCodecs(codec) ?? NoCodec() }, info: RecordingFacts.entries), codecs: allCodecs,
        makeNaming: { ProgramNaming() }, keepsParts: keep, leastEvents: { Self.events(of: output, spool) },
        progress: progress.update
      ) { () throws(TraceFormatError) in
        if Terminal.isStandardOutput(output) { return StandardOutput() }
        try FileUse.open(output)
        return try FileSink(recording: output, makeRoom: earlier.makeRoom)
      }
    } catch {
      switch error {
      case .system(.other, _), .nameTaken: throw Output.failure(output, error, kept: file)
      default: throw Failure.reading(file, error)
      }
    }
    progress.finish()
    if case .complete = outcome, access(trace, F_OK) != 0 {
      throw Failure(
        status: .noInput,
        message:
          "\(file): all its events were written to \(trace), which does not exist any more; nothing is left "
          + "to recover")
    }
    if !keep { unlink(file) }
    switch outcome {
    case .written(let summary):
      Terminal.complain(
        "recovered \(summary.events) events (\(summary.begunEvents) were already written), \(summary.bytes) bytes, "
          + "\(summary.lostEvents) lost: \(Output.name(output))")
      if let kept = EarlierNotes.kept(earlier.kept) { Terminal.complain(kept) }
      guard summary.damagedEvents == 0 else {
        let gone = Phrase.count(
          summary.damagedEvents, "event that was already written is", "events that were already written are")
        throw Failure(
          status: .badData,
          message: "\(summary.damage ?? "\(trace)\(FileSink.partSuffix) is missing"): \(gone) lost")
      }
    case .complete:
      Terminal.complain("\(trace) is complete: \(file) holds no other events")
    case .nothing:
      throw NothingRecorded(failure: Failure(status: .noInput, message: "\(file): nothing was recorded"))
    }
  }
}
