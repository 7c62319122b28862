import Foundation
import TestSupport
import Testing
import TextReport
import TraceAnalysis
import TraceReplay
import TraceFormat

/// The analysis of a redacted trace must equal that of the original, except for names.
@Suite struct RedactedAnalysisTests {
  private static let samples = [
    "virtual/timer-starvation", "virtual/modes", "virtual/background-task-cycle", "virtual/added-timer",
    "virtual/detect-layout", "virtual/location-locked", "real/five-causes", "real/leave-and-return-heartbeat",
  ]

  @Test(arguments: samples)
  func theSameExceptForNames(sample: String) throws {
    let original = try openTrace(ProjectFiles.bytes("SampleTraces/\(sample).rltrace"))
    let copy = try redactTrace(original)
    let renaming = Renaming(from: original, to: copy)
    #expect(renaming.names.contains { $0.key != $0.value })
    let wanted = renaming.inOrder(renaming.renamed(try json(original)))
    let found = renaming.inOrder(try json(copy))
    let differences = zip(try lines(found), try lines(wanted)).filter { $0 != $1 }
    #expect(
      try lines(found).count == lines(wanted).count && differences.isEmpty,
      "\(sample): \(differences.prefix(3))")
  }

  private func json(_ reader: TraceReader) throws -> Any {
    var options = AnalysisOptions()
    options.replay.detectors = Detector.all
    let analysis = try TraceAnalyzer(reader, options: options).analyze()
    return try JSONSerialization.jsonObject(
      with: Data(AnalysisJSON.encode([(file: "trace", analysis: analysis)]).utf8))
  }

  private func lines(_ json: Any) throws -> [Substring] {
    let data = try JSONSerialization.data(withJSONObject: json, options: [.prettyPrinted, .sortedKeys])
    return String(decoding: data, as: UTF8.self).split(separator: "\n")
  }
}

/// A map from the names of one trace to those of another trace with the same IDs.
private struct Renaming {
  var names: [String: String] = [:]
  private var threadIDs: [UInt64: UInt64] = [:]
  private let nameOfMode: [String: String]

  init(from original: TraceReader, to copy: TraceReader) {
    for (id, text) in original.strings { names[text] = copy.strings[id] }
    for (id, text) in original.modes { names[text] = copy.modes[id] }
    for (index, thread) in original.threads {
      names[thread.name] = copy.threads[index]?.name
      threadIDs[thread.osThread] = copy.threads[index]?.osThread
    }
    nameOfMode = Dictionary(
      original.modes.map { ($1, copy.modes[$0] ?? "") }, uniquingKeysWith: { first, _ in first })
  }

  func renamed(_ value: Any) -> Any {
    if let object = value as? [String: Any] {
      var out: [String: Any] = [:]
      for (key, inner) in object {
        if key == "os_thread", let id = inner as? UInt64 {
          out[key] = threadIDs[id] ?? id
        } else {
          out[nameOfMode[key] ?? key] = renamed(inner)
        }
      }
      return out
    }
    if let list = value as? [Any] { return list.map(renamed) }
    guard let text = value as? String else { return value }
    if let name = names[text] { return name }
    // A row for timers of several names.
    let more = " and others"
    let list = (text.hasSuffix(more) ? String(text.dropLast(more.count)) : text).components(separatedBy: ", ")
    if list.count > 1, list.allSatisfy({ names[$0] != nil }) {
      return list.compactMap { names[$0] }.joined(separator: ", ") + (text.hasSuffix(more) ? more : "")
    }
    // The kind of a callout, followed by its name.
    if let space = text.firstIndex(of: " "), let name = names[String(text[space...].dropFirst())] {
      return text[...space] + name
    }
    // A sentence: names are in quotes, modes are not.
    var sentence = text
    for (name, new) in names { sentence = sentence.replacing("\"\(name)\"", with: "\"\(new)\"") }
    for (name, new) in nameOfMode { sentence = sentence.replacing(name, with: new) }
    return sentence
  }

  /// Returns the lists of objects in an order that does not depend on names: rows that tie are ordered by name.
  func inOrder(_ value: Any) -> Any {
    if let object = value as? [String: Any] { return object.mapValues(inOrder) }
    guard let list = value as? [Any] else { return value }
    let items = list.map(inOrder)
    guard items.allSatisfy({ $0 is [String: Any] }) else { return items }
    return items.map {
      ($0, (try? JSONSerialization.data(withJSONObject: $0, options: .sortedKeys)) ?? Data())
    }
    .sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
  }
}
