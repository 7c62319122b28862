import LoopTopology
import TestSupport
import Testing

/// The differences between two loops.
@Suite struct DifferenceTests {
  private func difference(_ base: LinuxLoop, _ other: LinuxLoop) throws -> TopologyDifference {
    TopologyDifference(base: try base.topology, other: try other.topology)
  }

  /// Returns the loop with the addresses of another process. Everything else is the same.
  private func elsewhere(_ loop: LinuxLoop) -> LinuxLoop {
    var other = loop
    other.address = "0x9000"
    other.allocator = "0x7e00"
    other.items = loop.items.map { item in
      (
        item.item.replacing("0x7f00", with: "0x7e00").replacing("Source 0x", with: "Source 0x9")
          .replacing("Observer 0x", with: "Observer 0x9").replacing("Timer 0x", with: "Timer 0x9")
          .replacing("(0x5", with: "(0x95"), item.modes
      )
    }
    return other
  }

  private var loop: LinuxLoop {
    var loop = LinuxLoop()
    loop.items = [
      (loop.source("0x11", order: 1), ["(common)"]), (loop.source("0x12", order: 2), ["C"]),
      (loop.observer("0x21", "0x20", order: 5), ["(common)"]),
      (loop.observer("0x22", "0x80", order: 5, "exported (0x5610)"), ["A"]),
      (loop.timer("0x31", "0.25"), ["(common)"]), (loop.timer("0x32", "2"), ["C"]),
    ]
    return loop
  }

  @Test func itself() throws {
    for other in [loop, elsewhere(loop)] {
      let difference = try difference(loop, other)
      #expect(difference.isEmpty && difference.alike == 6, "\(difference)")
      #expect(difference.isSameProcess == (other.address == loop.address))
    }
  }

  @Test func theTimerOfANotesApp() throws {
    let bytes = try Dumps.notesApp()
    let difference = TopologyDifference(
      base: try Dumps.topology(bytes, 1), other: try Dumps.topology(bytes, 2))
    #expect(difference.isSameProcess)
    #expect(difference.added.map(\.item.callout?.name) == ["[NotesController refresh:]"])
    #expect(difference.added.map(\.modes) == [["kCFRunLoopDefaultMode"]])
    #expect(difference.removed.isEmpty && difference.moved.isEmpty && difference.changed.isEmpty)
    #expect(difference.alike == 10)
  }

  @Test(arguments: [false, true])
  func addedAndRemoved(isElsewhere: Bool) throws {
    var other = loop
    other.items.remove(at: 1)
    // It has the same callout and interval as another timer.
    other.items.append((other.timer("0x33", "0.25"), ["(common)"]))
    let difference = try difference(loop, isElsewhere ? elsewhere(other) : other)
    #expect(difference.added.map(\.item.intervalNs) == [250_000_000])
    #expect(difference.added.map(\.isCommon) == [true] && difference.added.map(\.modes) == [["A", "B"]])
    #expect(difference.removed.map(\.item.order) == [2])
    #expect(difference.moved.isEmpty && difference.changed.isEmpty && difference.alike == 5)
  }

  @Test(arguments: [false, true])
  func moved(isElsewhere: Bool) throws {
    var other = loop
    other.items[1].modes = ["A", "C"]
    other.items[4].modes = ["A"]
    let difference = try difference(loop, isElsewhere ? elsewhere(other) : other)
    #expect(difference.moved.map(\.base.modes) == [["C"], ["A", "B"]])
    #expect(difference.moved.map(\.other.modes) == [["A", "C"], ["A"]])
    #expect(difference.moved.map(\.other.isCommon) == [false, false])
    #expect(difference.added.isEmpty && difference.removed.isEmpty && difference.changed.isEmpty)
    #expect(difference.alike == 4)
  }

  @Test(arguments: [false, true])
  func changed(isElsewhere: Bool) throws {
    var other = loop
    other.items[2].item = other.observer("0x21", "0xa0", order: 6, valid: "No")
    other.items[5].item = other.timer("0x32", "3")
    let difference = try difference(loop, isElsewhere ? elsewhere(other) : other)
    #expect(difference.changed.map(\.fields) == [[.order, .valid, .activities], [.interval]])
    #expect(difference.added.isEmpty && difference.removed.isEmpty && difference.moved.isEmpty)
  }

  /// Memory is reused: the same address with another function is another item.
  @Test func anAddressUsedAgain() throws {
    var other = loop
    other.items[5].item = other.timer("0x32", "2", "? (0x5ab0 / (nil)) (?)")
    let difference = try difference(loop, other)
    #expect(difference.added.map(\.item.callout?.address) == [0x5AB0])
    #expect(difference.removed.map(\.item.callout?.address) == [0x5700])
    #expect(difference.alike == 5)
  }

  /// Within one process, an item that was created again is another item. Between two processes, nothing distinguishes
  /// them.
  @Test func createdAgain() throws {
    var other = loop
    other.items[5].item = other.timer("0x3f", "2").replacing("context (nil)", with: "context 0x77")
    let same = try difference(loop, other)
    #expect(same.added.count == 1 && same.removed.count == 1 && same.alike == 5)
    #expect(try difference(loop, elsewhere(other)).alike == 6)
  }

  /// The common items follow the common modes: one change is reported instead of one for each item.
  @Test func anotherCommonMode() throws {
    var other = loop
    other.commonModes = ["A", "B", "C"]
    other.modes.append("D")
    other.currentMode = "D"
    let difference = try difference(loop, other)
    #expect(difference.addedCommonModes == ["C"] && difference.addedModes == ["D"])
    #expect(difference.removedCommonModes.isEmpty && difference.removedModes.isEmpty)
    #expect(difference.baseCurrentMode == nil && difference.otherCurrentMode == "D")
    #expect(difference.moved.isEmpty && difference.alike == 6 && !difference.isEmpty)
  }

  /// A program that was built again has its functions at other addresses.
  @Test func anotherBuild() throws {
    var other = elsewhere(loop)
    other.items = other.items.map {
      (
        $0.item.replacing("(0x955", with: "(0x9123").replacing("(0x956", with: "(0x9234")
          .replacing("(0x957", with: "(0x9345"), $0.modes
      )
    }
    let difference = try difference(loop, other)
    #expect(difference.isEmpty && difference.alike == 6, "\(difference)")
  }
}
