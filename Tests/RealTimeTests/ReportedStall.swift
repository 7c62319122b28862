import Foundation
import TestSupport
import Testing

/// What `rltrace analyze` says of a stall, as far as tests ask.
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
  var atLimit: AtLimit?

  static func all(of trace: String) throws -> [ReportedStall] { try ReportedAnalysis(of: trace).stalls }

  /// The first line of a file of the project that has `text`.
  static func line(of text: String, in file: String) throws -> Int {
    let lines = try ProjectFiles.text(file).split(separator: "\n", omittingEmptySubsequences: false)
    return try #require(lines.firstIndex { $0.contains(text) }) + 1
  }

  /// A program has the mask of the thread that starts it, and threads of Dispatch, which run tests, block all signals.
  static func unblockSignals() {
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_UNBLOCK, &all, nil)
  }
}

/// What it says of the whole trace.
struct ReportedAnalysis: Decodable {
  struct Finding: Decodable {
    var rule: String
    var text: String
  }
  var stalls: [ReportedStall]
  var notes: [String]
  var findings: [Finding]

  init(of trace: String, _ options: [String] = []) throws {
    let run = try Program.rltrace.run(["analyze", trace, "--format", "json"] + options)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    self = try decoder.decode(Self.self, from: Data(run.output.utf8))
  }
}
