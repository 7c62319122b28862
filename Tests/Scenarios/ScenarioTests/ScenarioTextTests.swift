import Foundation
import CheckedYAML
import TestSupport
import Testing

@testable import Scenario

/// The YAML form of scenarios.
@Suite struct ScenarioTextTests {
  @Test func writtenScenariosAreReadBack() throws {
    var random = SeededGenerator(named: "scenarioText")
    for _ in 0..<TestRounds.value(200) {
      let scenario = RandomScenario(seed: random.next()).scenario
      let text = try ScenarioWriter.write(scenario)
      #expect(try ScenarioReader.read(text) == scenario, "\(TestSeed.note)\n\(text)")
    }
  }

  @Test(arguments: ScenarioLibrary.names)
  func libraryIsReadAndWritten(name: String) throws {
    let scenario = try ScenarioReader.read(try #require(ScenarioLibrary.text(name)))
    #expect(scenario.name == name)
    #expect(!scenario.about.isEmpty && !scenario.expect.isEmpty)
    #expect(try ScenarioReader.read(ScenarioWriter.write(scenario)) == scenario)
  }

  /// Returns a scenario with every kind of step. `ms` sets the times of the steps.
  private static func everyStep(_ ms: Int) -> String {
    """
    scenario: every step
    timers: [{name: t, every: 10ms}]
    sources: [{name: s}]
    background tasks: [{name: b, budget: 10s}]
    services: [{name: v, every: 1s}]
    thread:
      - wake up
      - stop
      - cpu: \(ms)ms
      - sleep: \(ms)ms..\(2 * ms)ms
      - disk: \(ms)ms
      - lock: \(ms)ms
      - ipc: \(ms)ms
      - network: \(ms)ms
      - run: tracking
      - run: {for: \(ms)ms, until source: true}
      - signal: s
      - perform: [main: [cpu: \(ms)ms]]
      - perform: {modes: [tracking, common], do: [stop]}
      - add: {item: t, modes: tracking}
      - remove: {item: s, modes: [common]}
      - invalidate: t
      - reschedule: {timer: t, in: -\(ms)ms}
      - common mode: tracking
      - mark: m
      - phase: background
      - state: {name: screen, value: Feed}
      - state: {name: screen}
      - suspend: \(ms)ms
      - set clock: -\(ms)ms
      - begin task: b
      - end task: b
      - start: v
      - halt: v
    """
  }

  /// Some editors begin a file with a byte-order mark.
  @Test func aByteOrderMarkIsNoText() throws {
    #expect(
      try ScenarioReader.read("\u{FEFF}" + Self.everyStep(3)) == (try ScenarioReader.read(Self.everyStep(3))))
    #expect(throws: TextFileError.self) { try ScenarioReader.read("\u{FEFF}") }
  }

  @Test func eachStepIsReadWrittenAndScaled() throws {
    let scenario = try ScenarioReader.read(Self.everyStep(3))
    #expect(try ScenarioReader.read(ScenarioWriter.write(scenario)) == scenario)
    #expect(scenario.scaled(by: 4).body == (try ScenarioReader.read(Self.everyStep(12))).body)
    #expect(scenario.expectedNs == 8 * 3_000_000)
    #expect(scenario.allSteps.count == scenario.body.count + 3)
    for form in Scenario.Step.forms {
      #expect(scenario.allSteps.contains { form.parts($0) != nil }, "no step of the test is '\(form.key)'")
    }
  }

  /// docs/reference/scenarios.md describes each step.
  @Test func thePageHasEachStep() throws {
    let page = try ProjectFiles.text("docs/reference/scenarios.md")
    let start = try #require(page.range(of: "## Steps")).upperBound
    let steps = page[start..<(try #require(page.range(of: "\n## ", range: start..<page.endIndex)).lowerBound)]
    for form in Scenario.Step.forms {
      #expect(steps.contains("`\(form.key)\(form.isWord ? "`" : ": ")"), "\(form.key)")
    }
  }

  /// The library would ignore a file that is not listed.
  @Test func everyFileIsListed() throws {
    let folder = ProjectFiles.root.appendingPathComponent("Sources/Scenarios/Scenario/Library").path
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yaml") }
    #expect(Set(files) == Set(ScenarioLibrary.names.map { $0 + ".yaml" }))
  }

  /// The error reports what is wrong, where it is, and what is allowed.
  @Test(arguments: [
    ("", 0, "empty"),
    ("[1, 2]", 1, "key: value"),
    ("scenario: x\n", 1, "needs 'thread'"),
    ("scenario: x\nthread: []\ntimer: []\n", 3, "unknown key 'timer' in"),
    ("scenario: x\nthread: [run]\n", 2, "no step 'run'; known: wake up, stop"),
    ("scenario: x\nthread:\n  - walk: 3s\n", 3, "no step 'walk'; known: cpu"),
    ("scenario: x\nthread:\n  - cpu: much\n", 3, "a time such as 250ms, 2s, or 1.5 for seconds"),
    ("scenario: x\nthread:\n  - cpu: 3s\n    sleep: 2s\n", 3, "one 'key: value'"),
    ("scenario: x\nthread: []\ntimers:\n  - name: t\n", 4, "timer 't' needs 'every' or 'first'"),
    ("scenario: x\nthread:\n  - signal: nobody\n", 3, "no source is named 'nobody'; known: none"),
    ("scenario: x\nloop: both\nthread: []\n", 2, "no loop 'both'; known: main, thread"),
    ("scenario: x\nloop: thread\nthread:\n  - main: []\n", 4, "'main' needs the main loop"),
    ("scenario: x\nscenario: y\nthread: []\n", 1, "duplicate keys from here on: 'scenario'"),
    ("scenario: x\nthread: [\u{1}]\n", 2, "control characters"),
    (
      "scenario: x\nthread: []\nobservers:\n  - {name: o, at: [Lunch]}\n", 4,
      "no activity 'Lunch'; known: Entry"
    ),
    (
      "scenario: x\nthread: []\nsources:\n  - {name: a}\n  - {name: a}\n", 5,
      "the name 'a' is already in use (source)"
    ),
    ("scenario: x\nthread: []\ngestures:\n  - {at: 1s, for: 1s, every: 1ns}\n", 4, "too short"),
    ("scenario: \"x\nthread: []\n", 3, "not YAML"),
  ])
  func mistakes(text: String, line: Int, what: String) throws {
    do throws(TextFileError) {
      _ = try ScenarioReader.read(text)
      Issue.record("read: \(text)")
    } catch {
      #expect(error.what.contains(what), "\(error)")
      #expect(error.line == line, "\(error)")
    }
  }

  /// Damaged texts are either read or refused.
  @Test func damagedTexts() throws {
    var random = SeededGenerator(named: "damagedScenarios")
    var read = 0
    for _ in 0..<TestRounds.value(2_000) {
      var bytes = Array(try #require(ScenarioLibrary.text(random.pick(ScenarioLibrary.names))).utf8)
      for _ in 0...(random.next() % 3) {
        let at = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 3 {
        case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: at)
        default: bytes.insert(contentsOf: bytes.prefix(Int(random.next() % 40)), at: at)
        }
      }
      do throws(TextFileError) {
        _ = try ScenarioReader.read(String(decoding: bytes, as: UTF8.self))
        read += 1
      } catch {
        #expect(!error.what.isEmpty && !error.what.contains("\n"), "\(TestSeed.note): \(error)")
      }
    }
    #expect(read > 0)
  }

  /// Aliases that double each time would fill the memory.
  @Test func aliasesThatGrow() {
    var text = "scenario: x\nthread: []\nexpect:\n  - &a0 [x, x]\n"
    for i in 1..<40 { text += "  - &a\(i) [*a\(i - 1), *a\(i - 1)]\n" }
    #expect(throws: TextFileError.self) { try ScenarioReader.read(text) }
  }
}
