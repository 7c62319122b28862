import Backtraces
import Foundation
import LoopTopology
import PageReport
import ReportWriting
import Scenario
import TestSupport
import TextReport
import TraceAnalysis
import TraceGate
import TraceValidation

@testable import TraceFormat

/// A function that processes untrusted bytes.
package struct FuzzTarget: Sendable {
  package let name: String
  /// A description of the bytes.
  package let about: String
  private let body: @Sendable ([UInt8]) throws -> [String]
  /// Returns seeds from a file of the project; none if the file is unsuitable.
  private let seed: @Sendable (_ name: String, _ bytes: [UInt8]) throws -> [[UInt8]]

  /// Returns the errors in the results for `bytes`. A thrown error is a valid result; a trap is not.
  package func complaints(_ bytes: [UInt8]) -> [String] { (try? body(bytes)) ?? [] }

  private static let folders = [
    "SampleTraces", "Tests/Golden", "Tests/Fixtures", "Sources/Scenarios/Scenario/Library",
    "docs/reference/commands",
  ]

  /// Returns seeds from the project's files of at most `limit` bytes, always in the same order.
  package func seeds(ofAtMost limit: Int) -> [(name: String, bytes: [UInt8])] {
    let manager = FileManager.default
    let files = FuzzTarget.folders.flatMap { folder in
      (manager.enumerator(atPath: ProjectFiles.root.appendingPathComponent(folder).path)?
        .compactMap { "\(folder)/\($0)" } ?? []).sorted()
    }
    return files.flatMap { file -> [(name: String, bytes: [UInt8])] in
      guard let bytes = try? ProjectFiles.bytes(file), bytes.count <= limit else { return [] }
      let name = file.replacingOccurrences(of: "/", with: "-")
      return ((try? seed(file, bytes)) ?? []).enumerated().map { ("\(name).\($0)", $1) }
    }
  }

  package static let all = [file, block, spool, text, scenario, rules, topology, stack, metrickit, semantic]

  package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }

  private init(
    _ name: String, _ about: String, seed: @escaping @Sendable (String, [UInt8]) throws -> [[UInt8]],
    _ body: @escaping @Sendable ([UInt8]) throws -> [String]
  ) {
    self.name = name
    self.about = about
    self.seed = seed
    self.body = body
  }

  private static func files(_ endings: String...) -> @Sendable (String, [UInt8]) -> [[UInt8]] {
    { name, bytes in endings.contains { name.hasSuffix($0) } ? [bytes] : [] }
  }

  private static func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  // MARK: Traces

  private static let file = FuzzTarget("file", "a trace, analyzed", seed: files(".rltrace")) { bytes in
    let reader = try openTrace(bytes)
    _ = try Validation(openTrace(bytes), limit: 20)
    let timeline = TimelineBuilder(reader)
    var options = AnalysisOptions()
    options.sink = timeline
    let analysis = try TraceAnalyzer(reader, options: options).analyze()
    _ = AnalysisText(analysis, gapThresholdNs: 0, style: TextStyle(isColoured: false)).lines(file: "x")
    _ = try AnalysisJSON.encode([("x", analysis)])
    return []
  }

  /// The codec, the count and the last time, then the payload. The checksum is right, so that the decoder reads all
  /// of it.
  private static let block = FuzzTarget(
    "block", "the payload of a block of events",
    seed: { name, bytes in
      guard name.hasSuffix(".rltrace") else { return [] }
      let reader = try openTrace(bytes)
      return try reader.blocks.indices.filter { reader.blocks[$0].type == .events }.prefix(4).map { number in
        let (header, payload) = try reader.storedBlock(number)
        var out = ByteWriter()
        out.append(reader.header.codec.rawValue)
        out.appendInteger(UInt32(header.count))
        out.appendInteger(header.first)
        out.appendInteger(header.last)
        return out.bytes + payload
      }
    }
  ) { bytes in
    var rest = bytes[...]
    func take<Number: FixedWidthInteger>(_: Number.Type) -> Number {
      defer { rest = rest.dropFirst(Number.bitWidth / 8) }
      return rest.prefix(Number.bitWidth / 8).reversed().reduce(0) { $0 << 8 | Number($1) }
    }
    let codec = take(UInt8.self) & 1 == 0 ? CodecID.none : .zstd
    let count = Int(take(UInt32.self) & 0xFF_FFFF)
    let (first, last) = (take(UInt64.self), take(UInt64.self))
    let payload = Array(rest)
    let header = BlockHeader(
      type: .events, payloadBytes: payload.count, plainBytes: payload.count, count: count, thread: 0,
      first: first,
      last: last)
    let fileHeader = FileHeader(codec: codec, captureLevel: .callouts, clock: .monotonic, hasHighStamps: true)
    let file = fileHeader.encoded() + payload.withUnsafeBytes { header.encoded(payload: $0) } + payload
    let decoded = DecodedEvents()
    let trace = try openTrace(file)
    guard !trace.blocks.isEmpty else { return [] }
    try trace.events(of: 0, into: decoded)
    var complaints: [String] = []
    if decoded.count != count { complaints.append("\(decoded.count) events of \(count)") }
    for i in 1..<max(decoded.count, 1) where decoded.times[i] < decoded.times[i - 1] {
      complaints.append("time goes backwards at event \(i)")
    }
    return complaints
  }

  private static let spool = FuzzTarget(
    "spool", "patches of a spool, recovered",
    // Any bytes are valid patches.
    seed: { name, bytes in name.hasSuffix(".rltrace") ? [Array(bytes.prefix(64))] : [] }
  ) { try recovered($0) }

  private static let text = FuzzTarget(
    "text", "the text form of a trace",
    seed: { name, bytes in
      if name.hasSuffix(".rltext") { return [bytes] }
      guard name.hasSuffix(".rltrace"), bytes.count < 4_000 else { return [] }
      return [Array(try dumpTrace(openTrace(bytes)).utf8)]
    }
  ) { bytes in
    let trace = try assembleTrace(string(bytes))
    let first = try dumpTrace(openTrace(trace))
    return try dumpTrace(openTrace(assembleTrace(first))) == first
      ? [] : ["dump, assemble, dump: a different text"]
  }

  private static let semantic = FuzzTarget(
    "semantic", "decisions for a valid trace with absurd content, through every output",
    seed: { name, bytes in name.hasSuffix(".rltrace") ? [Array(bytes.prefix(600))] : [] }
  ) { try absurd($0) }

  /// Returns the trace that these bytes determine.
  package static func absurdTrace(_ bytes: [UInt8]) throws -> [UInt8] {
    var trace = AbsurdTrace(bytes)
    return try trace.bytes()
  }

  private static func absurd(_ bytes: [UInt8]) throws -> [String] {
    try EveryOutput(try absurdTrace(bytes)).complaints
  }

  /// Returns the errors in the outputs of a trace.
  package static func outputComplaints(_ trace: [UInt8]) -> [String] {
    (try? EveryOutput(trace).complaints) ?? []
  }

  // MARK: Texts of users and of other tools

  private static let scenario = FuzzTarget("scenario", "a scenario's YAML", seed: files(".yaml", ".yml")) {
    bytes in
    let scenario = try ScenarioReader.read(string(bytes))
    let text = try ScenarioWriter.write(scenario)
    return try ScenarioReader.read(text) == scenario ? [] : ["the written scenario differs"]
  }

  private static let rules = FuzzTarget(
    "rules", "rules of the gate, one per line",
    seed: { name, bytes in
      // The page has an example of each.
      guard name.hasSuffix("gate.md") else { return [] }
      let examples = string(bytes).matches(of: #/`([^`]*[<>=]=?[^`]*)`/#).map { Array(String($0.1).utf8) }
      return examples
    }
  ) { bytes in
    var complaints: [String] = []
    for line in string(bytes).split(separator: "\n") {
      guard let rule = try? RuleParser.parse(String(line)) else { continue }
      if (try? RuleParser.parse(rule.text)) == nil {
        complaints.append("cannot be parsed again: \(rule.text)")
      }
    }
    return complaints
  }

  private static let topology = FuzzTarget(
    "topology", "the description of a run loop", seed: files(".log")
  ) {
    bytes in
    var text = DumpText(bytes)
    for number in 1...3 {
      let (topology, line) = try text.dump(number)
      try TopologyJSON.document.write([(topology, DumpPlace(file: "x", line: line))]) { _ in }
    }
    return []
  }

  private static let stack = FuzzTarget(
    "stack", "a backtrace from another tool", seed: files(".txt", ".ips", ".hang")
  ) { bytes in
    _ = try BacktraceReader.read(bytes)
    return []
  }

  private static let metrickit = FuzzTarget(
    "metrickit", "a report of MetricKit", seed: files("metrickit.json")
  ) {
    bytes in
    _ = try BacktraceReader.read(bytes)
    return []
  }
}
