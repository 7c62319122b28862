import Foundation
import TestSupport
import Testing
import TraceFormat

/// A signal ends `record --scenario`. The trace is complete, and contains no events that a loop cannot produce.
@Suite(.ownThread, .optimizedBuild) struct InterruptedScenarioTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Returns the number of callouts of timers and sources while the loop waits, according to the trace.
  private func calloutsInsideWaits() throws -> Int {
    let reader = try openTrace(path: folder.file("cut.rltrace"))
    #expect(reader.isClean)
    let decoded = DecodedEvents()
    var waiting: [UInt32: Bool] = [:]
    var found = 0
    for (number, block) in reader.blocks.enumerated() where block.type == .events {
      try reader.events(of: number, into: decoded)
      for event in decoded.values {
        let kind = EventKind(event.kind)
        switch kind {
        case .beforeWaitingHigh: waiting[block.thread] = true
        case .afterWaitingLow: waiting[block.thread] = false
        default: if kind.isCalloutBegin, waiting[block.thread] == true { found += 1 }
        }
      }
    }
    #expect(!waiting.isEmpty, "no loop waited")
    return found
  }

  /// The signal comes at different moments: before a fire, after it, in a callout, in a nested run.
  @Test(arguments: ["timer-starvation", "stuttering-app"]) func atAnyMoment(scenario: String) throws {
    for round in 0..<5 {
      let result = try Program(
        shell: """
          rm -f cut.rltrace; "$0" record --scenario \(scenario) -o cut.rltrace & recorder=$!
          until [ -e cut.rltrace.part ]; do :; done; sleep 0.\(31 + round * 13); kill -TERM $recorder; wait $recorder
          """
      ).run([Program.rltrace.path], folder: folder.path)
      #expect(result.status == 143, "\(result.errors)")
      #expect(result.errors.contains("the trace holds everything recorded until then"), "\(result.errors)")
      #expect(folder.names == ["cut.rltrace"])
      #expect(try calloutsInsideWaits() == 0)
      let checked = try Program.rltrace.run(["validate", "cut.rltrace"], folder: folder.path)
      #expect(checked.status == 0, "\(checked.output)")
    }
  }

  @Test(arguments: [
    ("HUP", 129), ("INT", 130), ("QUIT", 131), ("USR1", 138), ("ALRM", 142), ("TERM", 143), ("XCPU", 152),
  ])
  func bySignals(name: String, status: Int32) throws {
    let result = try Program(
      shell: """
        "$0" record --scenario timer-starvation -o cut.rltrace & recorder=$!
        until [ -e cut.rltrace.part ]; do :; done; sleep 0.2; kill -\(name) $recorder; wait $recorder
        """
    ).run([Program.rltrace.path], folder: folder.path)
    #expect(result.status == status, "\(result.errors)")
    #expect(folder.names == ["cut.rltrace"])
    #expect(try Program.rltrace.run(["validate", "cut.rltrace"], folder: folder.path).status == 0)
  }

  /// The signal comes while the recording begins, or just before its end.
  @Test func atTheEnds() throws {
    let result = try Program(
      shell: """
        "$0" record -q --scenario timer-starvation --time-scale 0.01 -o cut.rltrace & recorder=$!
        until [ -e cut.rltrace.part ]; do :; done; kill -TERM $recorder; wait $recorder
        """
    ).run([Program.rltrace.path], folder: folder.path)
    #expect([0, 143].contains(result.status), "\(result.errors)")
    #expect(folder.names == ["cut.rltrace"])
    #expect(try Program.rltrace.run(["validate", "cut.rltrace"], folder: folder.path).status == 0)
  }

  /// A closed terminal does not end a process that `nohup` started.
  @Test func nohup() throws {
    let result = try Program(
      shell: """
        trap '' HUP
        "$0" record --scenario timer-starvation --time-scale 0.1 -o cut.rltrace & recorder=$!
        until [ -e cut.rltrace.part ]; do :; done; kill -HUP $recorder; wait $recorder
        """
    ).run([Program.rltrace.path], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(folder.names == ["cut.rltrace"])
  }

  /// In virtual time, an incomplete trace is not kept.
  @Test(arguments: [("HUP", 129), ("INT", 130), ("QUIT", 131), ("TERM", 143)])
  func virtual(name: String, status: Int32) throws {
    let text = "scenario: long\ntimers:\n  - {name: t, every: 1ms}\nthread:\n  - run: {for: 100min}\n"
    try text.write(toFile: folder.file("long.yaml"), atomically: false, encoding: .utf8)
    let result = try Program(
      shell: """
        set -m
        "$0" record --virtual --scenario long.yaml -o cut.rltrace & recorder=$!
        until [ -e cut.rltrace.part ]; do :; done; kill -\(name) $recorder; wait $recorder
        """
    ).run([Program.rltrace.path], folder: folder.path)
    #expect(result.status == status, "\(result.errors)")
    #expect(folder.names == ["long.yaml"])
  }

  /// A recorded program gets the signal, and its trace is completed.
  @Test(arguments: [("HUP", 129), ("TERM", 143)]) func aRecordedProgram(name: String, status: Int32) throws {
    let result = try folder.shell(
      """
      "$0" record -q -o cut.rltrace -- "$1" timers 30000 & recorder=$!
      for i in $(seq 500); do
        [ "$(cat cut.rltrace.part 2>/dev/null | wc -c)" -gt 2000 ] && break; sleep 0.02
      done
      kill -\(name) $recorder; wait $recorder
      """)
    #expect(result.status == status, "\(result.errors)")
    #expect(folder.names == ["cut.rltrace"])
    #expect(try Program.rltrace.run(["validate", "cut.rltrace"], folder: folder.path).status == 0)
  }
}
