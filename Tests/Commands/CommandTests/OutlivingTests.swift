import Foundation
import TestSupport
import Testing
import TraceFormat
import TraceRecorder

/// Processes that outlive their recording.
@Suite(.ownThread) struct OutlivingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a second process of a recording. The spool of the first one exists, and is marked as ended if `isOver`.
  private func furtherProcess(isOver: Bool) throws -> Spool {
    let path = folder.file("out.rltrace.spool")
    let first = try Spool(creating: path, slotsPerRing: 1 << 10, flags: 0, timeUnit: .ns10, recording: 1)
    if isOver { first.stopRecording() }
    let variables = try Program.rltrace.run(["record", "--print-env", "-o", folder.file("out.rltrace")])
    // A process ID other than this one. Otherwise the program would take itself for the first process.
    let result = try Program(
      shell: "env $(sed 's/recorder=0/recorder=1/; s/slots=[0-9]*/slots=1024/') \"$1\" timers 3"
    ).run(["", Program.loopPrograms.path], input: variables.output, folder: folder.path)
    #expect(result.status == 0 && result.output == "fires 3\n", "\(result.errors)")
    return first
  }

  @Test func theSpoolOfARunningRecordingStays() throws {
    let first = try furtherProcess(isOver: false)
    #expect(folder.names.count == 2 && first.takeChild() != nil && first.takeChild() == nil)
  }

  /// The process starts between the recorder's last search for processes and the end of its first spool.
  @Test func aSpoolThatComesTooLateIsRemoved() throws {
    _ = try furtherProcess(isOver: true)
    #expect(folder.names == ["out.rltrace.spool"])
  }

  /// Processes that are still running are counted, and the messages state nothing else about them.
  @Test(arguments: [
    ("\"$0\" timers 5; exit 0", 0), ("exit 0", 66),
  ])
  func runningProcessesAreCounted(rest: String, status: Int32) throws {
    let result = try folder.shell(
      """
      "$0" record -o out.rltrace -- bash -c '"$0" sleep 5 & echo $! >other
        until grep -q libFoundation.so /proc/$!/maps; do sleep 0.02; done; \(rest)' "$1"
      status=$?; kill -9 $(cat other); exit $status
      """)
    #expect(result.status == status, "\(result.errors)")
    #expect(result.errors.contains("1 more process was still running"), "\(result.errors)")
    #expect(!result.errors.contains("CFRunLoop"), "\(result.errors)")
    #expect(folder.names == (status == 0 ? ["other", "out.rltrace"] : ["other"]))
  }

  /// Processes create their spools when the first one ends, some earlier and some later. No spool remains.
  @Test func noSpoolIsLeft() throws {
    let result = try folder.shell(
      """
      for i in $(seq 8); do
        "$0" record -q -o out.rltrace -- bash -c '
          for k in 0 1 2 3; do { "$0" sleep 0.1; sleep 0.0$k; exec "$0" timers 20; } & done
          "$0" sleep 0.1; "$0" timers 5; exit 0' "$1" >>said
      done
      for i in $(seq 200); do [ $(grep -c 'fires 20' said) = 32 ] && break; sleep 0.05; done
      """)
    #expect(result.status == 0, "\(result.errors)")
    #expect(!folder.names.contains { $0.hasSuffix(".spool") || $0.hasSuffix(".part") }, "\(folder.names)")
  }
}
