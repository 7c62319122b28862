import ArgumentParser
import Foundation
import TraceAnalysis
import TraceFleet
import TraceFormat

struct Summarize: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "summarize",
    abstract: "Makes a summary of each trace: a line of JSON that can be added to others.",
    discussion: """
      A summary has the numbers of a trace by mode, timer, callout, blamed function and finding, without the times of \
      individual events. `rltrace fleet` adds summaries and compares builds. --set adds facts that a trace lacks: \
      build, os, device, scenario, session, day, or any other key.

      Examples:
        rltrace summarize app.rltrace --set build=1.4,os=18,device=phoneA >>sessions.jsonl
        rltrace summarize traces/*.rltrace --set build=1.4 -o build-1.4.jsonl
        rltrace summarize app.rltrace --salt-file secret | jq .timers
        rltrace summarize app.rltrace --by state:screen | jq .states
      """)

  @Argument(help: "The traces.", completion: .file(extensions: ["rltrace"]))
  var files: [String]

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("Keys of all these traces. May be repeated.", valueName: "key=value,…"))
  var keys: [String] = []

  @Option(
    name: .shortAndLong, help: "The file to write (default: standard output).",
    completion: .file(extensions: ["jsonl"]))
  var output: String = "-"

  @Option(
    help: ArgumentHelp(
      "Also give numbers by the values of a state that the program set.", valueName: "state:name"),
    transform: SplitArgument.read)
  var by: SplitArgument?

  @Flag(help: "Leave out the names of modes, timers, callouts, queues, states and functions.")
  var withoutNames = false

  @Option(
    help: ArgumentHelp(
      "Replace these names with hashes that depend on the secret in this file. Equal names get equal hashes.",
      valueName: "file"), completion: .file())
  var saltFile: String?

  @Flag(help: ArgumentHelp(StrictReading.help)) var strict = false

  func validate() throws {
    if withoutNames, saltFile != nil {
      throw ValidationError("--without-names and --salt-file cannot be combined")
    }
  }

  func run() throws {
    let keys = try FleetKeys.values(keys, option: "--set")
    FileUse.read(files)
    FileUse.read(saltFile, as: "secret")
    try FileUse.write([(output, "-o")])
    let names = try saltFile.map { path throws(Failure) in try SaltedNames(file: path) }
    let sink = try Output.sink(output)
    let threads = Workers.count(for: files.count, atMost: ReadingLimits.tracesAtOnce)
    MemoryLimit.allow(filesAtOnce: threads)
    // A single thread shows the progress of each trace.
    let progress =
      threads > 1
      ? AnalysisProgress(
        file: "\(files.count) traces", what: "summarizing", isBeside: Terminal.isStandardOutput(output)) : nil
    defer { progress?.finish() }
    var problem: Failure?
    func note(_ found: Failure) {
      progress?.finish()
      Terminal.complain(found.message)
      problem = problem ?? found
    }
    do {
      try Workers.inOrder(files, atMost: threads) { file -> Result<Line, Failure> in
        do throws(Failure) { return .success(try line(of: file, keys, names)) } catch {
          return .failure(error)
        }
      } use: { number, result in
        progress?.update(Double(number + 1) / Double(files.count))
        switch result {
        case .success(let line):
          if let found = line.problem { note(found) }
          do throws(TraceFormatError) { try sink.write(line.bytes) } catch {
            throw Output.failure(output, error)
          }
        case .failure(let error):
          // The other traces are still summarized.
          guard error.status == .badData || error.status == .noInput, files.count > 1 else { throw error }
          note(error)
        }
      }
      do throws(TraceFormatError) { try sink.commit() } catch { throw Output.failure(output, error) }
    } catch {
      sink.discard()
      throw error
    }
    if let problem { throw ExitCode(problem.status.rawValue) }
  }

  /// A line with its newline, and why its trace is incomplete; nil when it is complete.
  private typealias Line = (bytes: [UInt8], problem: Failure?)

  private func line(
    of file: String, _ keys: [String: String], _ names: SaltedNames?
  ) throws(Failure) -> Line {
    let reader = try StrictReading.open(file, isStrict: strict)
    var options = AnalysisOptions()
    options.splitState = by?.state
    let run = try AnalysisRun(
      reader, options, file: file, printsMeanwhile: Terminal.isStandardOutput(output))
    var all = Self.known(reader, run.analysis)
    for (key, value) in keys { all[key] = value }
    var summary = SummaryBuilder.summary(
      of: run.analysis, id: String(reader.contentHash(), radix: 16), keys: all,
      session: all["session"] ?? file.lastPathPart)
    if let names { summary = summary.withNames(hashedBy: names.hash) }
    if withoutNames { summary = summary.withoutNames }
    return (SummaryJSON.encode(summary) + [UInt8(ascii: "\n")], run.problem)
  }

  /// Keys that the trace itself holds.
  private static func known(_ reader: TraceReader, _ analysis: Analysis) -> [String: String] {
    var keys: [String: String] = [:]
    if let program = reader.info.first(where: { $0.key == InfoEntry.program })?.value {
      keys["app"] = program.split(separator: " ").first.map { String($0).lastPathPart }
    }
    if let scenario = reader.info.first(where: { $0.key == InfoEntry.scenario })?.value {
      keys["scenario"] = scenario
    }
    if let start = analysis.trace.startRealtimeNs {
      keys["day"] = Day.text(secondsSince1970: Int(start / 1_000_000_000))
    }
    return keys
  }
}

/// Keys and values on the command line.
enum FleetKeys {
  /// Returns the pairs in texts such as `build=1.4,os=18`.
  static func values(_ texts: [String], option: String) throws -> [String: String] {
    var keys: [String: String] = [:]
    for pair in texts.flatMap({ $0.split(separator: ",") }) {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, isName(parts[0]), !parts[1].isEmpty else {
        throw ValidationError("\(option) '\(harmless(String(pair)))' is not of the form key=value")
      }
      guard keys.updateValue(parts[1], forKey: parts[0]) == nil else {
        throw ValidationError("\(option) gives \(parts[0]) twice")
      }
    }
    return keys
  }

  /// Returns the names in texts such as `os,device`.
  static func names(_ texts: [String], option: String) throws -> [String] {
    var names: [String] = []
    for name in texts.flatMap({ $0.split(separator: ",") }).map(String.init) {
      guard isName(name) else {
        throw ValidationError("\(option) '\(harmless(name))' is not the name of a key")
      }
      if !names.contains(name) { names.append(name) }
    }
    return names
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { $0 == 0x5F || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
  }
}

/// A day of the calendar in UTC.
enum Day {
  /// Returns, for example, `2026-11-27`.
  static func text(secondsSince1970 seconds: Int) -> String {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
  }
}
