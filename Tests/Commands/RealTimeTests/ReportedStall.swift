import Foundation
import TestSupport
import Testing

/// The parts of a stall in the output of `rltrace analyze` that tests use.
struct ReportedStall: Decodable {
  struct Frame: Decodable { var function: String? }
  struct Owner: Decodable {
    var deadlock: Bool
    var function: String?
    var sourceLine: Int?
    var stack: [Frame]
  }
  struct Evidence: Decodable {
    var cpuNs: UInt64?
    var systemCall: String?
  }
  var function: String?
  var sourceFile: String?
  var sourceLine: Int?
  var cause: String
  var confidence: String
  var samples: Int
  var evidence: Evidence
  struct Cause: Decodable {
    var cause: String
    var durationNs: UInt64
  }
  struct AtLimit: Decodable {
    var afterNs: UInt64
    var function: String?
    var cause: String
  }
  var owner: Owner?
  var stack: [Frame]
  var causes: [Cause]
  var functions: [Frame]
  var atLimit: AtLimit?

  static func all(of trace: String) throws -> [ReportedStall] { try ReportedAnalysis(of: trace).stalls }

  /// Returns the first line of a project file that contains `text`.
  static func line(of text: String, in file: String) throws -> Int {
    let lines = try ProjectFiles.text(file).split(separator: "\n", omittingEmptySubsequences: false)
    return try #require(lines.firstIndex { $0.contains(text) }) + 1
  }

  /// Unblocks all signals of this thread. A program inherits the mask of the thread that starts it, and the Dispatch
  /// threads that run tests block all signals.
  static func unblockSignals() {
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_UNBLOCK, &all, nil)
  }
}

/// The parts of the whole output that tests use.
struct ReportedAnalysis: Decodable {
  struct Finding: Decodable {
    struct Place: Decodable {
      var role: String
      var function: String
    }
    var rule: String
    var text: String
    var places: [Place]
  }
  struct Loop: Decodable { var loop: String }
  var stalls: [ReportedStall]
  var loops: [Loop]
  var notes: [String]
  var findings: [Finding]

  init(of trace: String, _ options: [String] = []) throws {
    let run = try Program.rltrace.run(["analyze", trace, "--format", "json"] + options)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    self = try decoder.decode(Self.self, from: Data(run.output.utf8))
  }
}
