import TestSupport
import Testing
import TraceFormat

/// A queued block waits until it begins or is dropped. This holds for all kinds of work.
@Suite(.ownThread) struct QueuedWorkTests {
  private let events: [RecordedEvent]
  private let modes: [UInt8: String]

  init() throws {
    let run = try RecordedProgram(.loopPrograms, ["queued"])
    #expect(run.recorded.status == 0 && run.recorded.output.contains("end"))
    #expect(!run.recorded.output.contains("wrong"))
    let plain = try run.plain
    #expect(run.recorded.output.split(separator: "\n").count == plain.output.split(separator: "\n").count)
    events = try run.events()
    modes = try openTrace(path: run.trace).modes
  }

  private func objects(_ kinds: EventKind...) -> Set<UInt32> {
    Set(events.filter { kinds.contains($0.kind) }.map(\.object))
  }

  @Test func workThatWaits() {
    let created = objects(.blockCreate)
    let waiting = created.subtracting(objects(.blockBegin, .mainQueueBlockBegin, .blockDiscard))
    // One block is due in fifty seconds, and one needs a mode that does not run.
    #expect(waiting.count == 2)
    let late = events.filter { $0.kind == .blockCreate && waiting.contains($0.object) }
    #expect(late.map { modesOf($0) }.sorted { $0.count < $1.count } == [[], ["other"]])
  }

  @Test func workThatIsDropped() {
    // A cancelled item, and the block of a loop whose thread ended. An item that was cancelled earlier is not queued.
    let dropped = events.filter { $0.kind == .blockDiscard }
    #expect(dropped.count == 2)
    #expect(objects(.blockDiscard).isDisjoint(with: objects(.blockBegin, .mainQueueBlockBegin)))
    #expect(objects(.blockDiscard).isSubset(of: objects(.blockCreate)))
  }

  /// Blocks of CFRunLoopPerformBlock have modes, and blocks of the main queue have none.
  @Test func modesOfBlocks() {
    let ofLoop = objects(.blockBegin), created = events.filter { $0.kind == .blockCreate }
    for event in created where ofLoop.contains(event.object) { #expect(!modesOf(event).isEmpty) }
    let ofQueue = objects(.mainQueueBlockBegin)
    for event in created where ofQueue.contains(event.object) { #expect(modesOf(event).isEmpty) }
    #expect(created.contains { modesOf($0) == ["kCFRunLoopDefaultMode", "x"] })
    #expect(created.contains { modesOf($0) == ["kCFRunLoopCommonModes"] })
  }

  private func modesOf(_ event: RecordedEvent) -> [String] {
    event.arguments.dropFirst(3).map { modes[UInt8($0)] ?? "?" }
  }
}
