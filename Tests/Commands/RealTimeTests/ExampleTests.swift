import Foundation
import TestSupport
import Testing

/// docs/examples.md: seven programs with one fault each, recorded, changed and recorded again. The verdicts on the page
/// are those that the commands print.
///
/// RLTRACE_UPDATE_GOLDEN=1 writes the printed output into the page.
@Suite(.ownThread) struct ExampleTests {
  private static let page = "docs/examples.md"

  /// The programs, each with a function and a place that the first screen has to name.
  static let examples: [(name: String, rule: String, place: String)] = [
    ("Fetcher", "RL002", "Weather.refresh() Fetcher.swift:"),
    ("LockHolder", "RL002", "Store.add(_:) LockHolder.swift:"),
    ("Importer", "RL002", "closure #1 in importFiles() Importer.swift:"),
    ("Spinner", "RL011", "Spinner.swift:"),
    ("Dialog", "RL001", "closure #1 in startMeter() Dialog.swift:"),
    ("TimerLeak", "RL034", "Row.appear() TimerLeak.swift:"),
    ("Crash", "RL033", "Crash.swift:"),
  ]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs the steps of a section as a user types them. `analyze` prints what a terminal shows.
  private func outputs(of steps: [Transcript.Step]) throws -> [String] {
    try steps.map { step in
      let run = try Program(
        shell: """
          tool=$0
          rltrace() {
            if [[ $1 == analyze && " $* " != *" --full "* ]]; then "$tool" "$@" --brief; else "$tool" "$@"; fi
          }
          { \(step.command); } 2>&1
          """
      ).run([Program.rltrace.path], environment: ["SWIFT_BACKTRACE": "enable=no"], folder: folder.path)
      return run.output
    }
  }

  @Test(arguments: examples)
  func aFaultIsFoundAndItsChangeIsSeen(_ example: (name: String, rule: String, place: String)) throws {
    let source = try ProjectFiles.text("docs/examples/\(example.name).swift")
    try source.write(toFile: folder.file("\(example.name).swift"), atomically: false, encoding: .utf8)
    let section = try section(example.name)
    #expect(section.steps.count >= 6, "\(example.name)")
    var outputs: [String] = []
    var missing: [String] = []
    // A busy machine adds causes of its own.
    for _ in 0..<3 {
      try? FileManager.default.removeItem(atPath: folder.file("\(example.name).rltrace"))
      for name in folder.names where name.hasSuffix(".rltrace") {
        try FileManager.default.removeItem(atPath: folder.file(name))
      }
      outputs = try self.outputs(of: section.steps)
      let shape = Transcript.shape(outputs.joined(separator: "\n"))
      missing = verdicts(of: section).filter { !shape.contains($0) }
      if missing.isEmpty { break }
    }
    let screen = try #require(
      zip(section.steps, outputs).first { $0.0.command.hasPrefix("rltrace analyze") }?.1)
    #expect(screen.contains(example.rule) && screen.contains(example.place), "\(screen)")
    if ProcessInfo.processInfo.environment["RLTRACE_UPDATE_GOLDEN"] == "1" {
      try update(section, outputs)
    } else {
      #expect(missing == [], "\(Self.page), \(example.name)")
    }
  }

  /// Returns what the page shows of the verdicts on the program and on its change, without numbers. Other lines depend
  /// on the machine.
  private func verdicts(of section: Transcript) -> [String] {
    section.steps.compactMap { step in
      if step.command.hasPrefix("rltrace compare") { return "Verdict: NEW is better" }
      guard step.command.hasPrefix("rltrace analyze"),
        let start = step.output.firstIndex(where: { $0.hasPrefix("Verdict:") })
      else { return nil }
      return Transcript.shape(step.output[start...].prefix { !$0.isEmpty }.joined(separator: "\n"))
    }
  }

  /// From its heading to the next.
  private func section(_ name: String) throws -> Transcript {
    let page = try ProjectFiles.text(Self.page)
    let start = try #require(page.range(of: "(examples/\(name).swift)")).lowerBound
    let end = page.range(of: "\n## ", range: start..<page.endIndex)?.lowerBound ?? page.endIndex
    return Transcript(page: String(page[start..<end]))
  }

  private func update(_ section: Transcript, _ outputs: [String]) throws {
    let url = ProjectFiles.root.appendingPathComponent(Self.page)
    let page = try ProjectFiles.text(Self.page).replacingOccurrences(
      of: section.page, with: section.replacing(zip(section.steps, outputs).map(shortened)))
    try page.write(to: url, atomically: true, encoding: .utf8)
  }

  /// Returns what the page shows of an output. The first section shows the tables of `compare` and the built-in budget.
  private func shortened(_ step: Transcript.Step, _ output: String) -> String {
    guard !step.command.contains("Fetcher"), !output.contains("Fetcher") else { return output }
    let parts = output.components(separatedBy: "\n\n")
    if step.command.hasPrefix("rltrace compare"),
      let verdict = parts.firstIndex(where: { $0.hasPrefix("Verdict:") })
    {
      return parts[...verdict].joined(separator: "\n\n") + "\n…\n"
    }
    if step.command.hasPrefix("rltrace gate"), parts.count > 1 {
      return "…\n" + parts.dropFirst().joined(separator: "\n\n")
    }
    return output
  }
}
