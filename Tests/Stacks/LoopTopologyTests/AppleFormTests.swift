import Foundation
import LoopTopology
import RunLoopVocabulary
import TestSupport
import Testing

/// The output of print(RunLoop.main) on Apple's systems.
@Suite struct AppleFormTests {
  private static let shared = ProjectFiles.root.deletingLastPathComponent()
    .appendingPathComponent("shared/fixtures/runloop-dump-ios.txt").path

  /// A simulator's dump from an article. Its white space differs from CoreFoundation's.
  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: shared), "needs ../shared/fixtures/runloop-dump-ios.txt"))
  func theDumpOfAnArticle() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.shared)))
    let loop = try Dumps.topology(bytes)
    #expect(loop.currentMode == ModeName.default)
    #expect(loop.commonModes == [ModeName.tracking, ModeName.default])
    #expect(loop.commonItems.count == 11)
    #expect(loop.form == .apple)
    #expect(
      loop.modes.map(\.name) == ["GSEventReceiveRunLoopMode", ModeName.tracking, ModeName.default])
    #expect(loop.modes.map(\.timers.count) == [0, 0, 1])
    let mode = try #require(loop.modes.last)
    #expect(mode.sources0.count == 4 && mode.sources1.count == 1 && mode.observers.count == 6)
    let timer = try #require(mode.timers.first)
    #expect(timer.callout?.role == "Delayed Perform")
    #expect(timer.callout?.name == "UIApplication _accessibilitySetUpQuickSpeak")
    #expect(timer.callout?.image?.hasSuffix("UIKitCore.framework/UIKitCore") == true)
    #expect(timer.intervalNs == 0 && timer.nextFireDateS == 616_574_174 && timer.firesInNs == 1_455_520_990)
    #expect(loop.inventory.count == 13)
  }

  @Test func loopAndModes() throws {
    let loop = try Dumps.topology(try Dumps.notesApp())
    #expect(loop.address == 0x2_80A0_0100 && loop.isStopped == false)
    #expect(loop.currentMode == ModeName.default)
    #expect(loop.commonModes == [ModeName.tracking, ModeName.default])
    #expect(loop.commonItems.count == 8)
    #expect(loop.modes.map(\.name) == ["GSEventReceiveRunLoopMode", ModeName.tracking, ModeName.default])
    #expect(loop.modes.map(\.deadlineNs) == [nil, nil, 499_693_210])
    #expect(loop.modes.map(\.nowS) == [705_432_101, 705_432_101, 705_432_101])
  }

  @Test func sources() throws {
    let loop = try Dumps.topology(try Dumps.notesApp())
    let mode = try #require(loop.modes.last)
    #expect(
      mode.sources0.map(\.callout?.name) == [
        "__handleHIDEventFetcherDrain", "__handleEventQueue", "FBSSerialQueueRunLoopSourceHandler",
      ])
    #expect(mode.sources0.map(\.order) == [-2, -1, 0])
    #expect(mode.sources0.map(\.isSignalled) == [false, false, false])
    #expect(mode.sources1.map(\.kind) == [.source1])
    // A source with a port as its context.
    let port = try #require(mode.sources1.first)
    #expect(port.callout?.name == "__IOHIDEventServiceCallback" && port.callout?.address == 0x1_8A2B_3C4D)
    #expect(port.contextHead == "<CFMachPort ")
    let server = try #require(loop.modes.first?.sources1.first)
    #expect(server.callout == nil && server.contextHead == "<CFRunLoopSource MIG Server> ")
    // Among the common items, only the modes show that the source has version 1.
    #expect(loop.commonItems.filter { $0.kind == .source1 }.map(\.address) == [port.address])
    #expect(loop.commonItems.count { $0.kind == .source } == 0)
  }

  @Test func observers() throws {
    let loop = try Dumps.topology(try Dumps.notesApp())
    let mode = try #require(loop.modes.last)
    #expect(mode.observers.map(\.order) == [-2_147_483_647, 0, 2_000_000, 2_147_483_647])
    #expect(
      mode.observers.map(\.activities?.activities) == [
        [.entry], [.beforeWaiting], [.beforeWaiting, .exit], [.beforeWaiting, .exit],
      ])
    #expect(mode.observers.allSatisfy { $0.repeats == true && $0.isValid == true })
    #expect(mode.observers.first?.contextHead == "<CFArray ")
    #expect(mode.observers.first?.context?.contains("\t0 : <0x10180c038>\n)}") == true)
  }

  @Test func timers() throws {
    let mode = try #require(try Dumps.topology(try Dumps.notesApp(), 2).modes.last)
    try #require(mode.timers.count == 2)
    let (once, repeating) = (mode.timers[0], mode.timers[1])
    #expect(once.callout?.role == "Delayed Perform" && once.callout?.name == "NotesController saveDraft")
    #expect(once.intervalNs == 0 && once.firesInNs == 499_731_004 && once.firesAtTicks == 1_203_456_789_012)
    #expect(repeating.callout?.role == "NSTimer")
    #expect(repeating.callout?.name == "[NotesController refresh:]")
    #expect(repeating.callout?.address == 0x1_84C1_A2F4 && repeating.callout?.target == 0x1_02B0_4E40)
    #expect(
      repeating.callout?.image
        == "/private/var/containers/Bundle/Application/Notes (beta).app/Notes")
    #expect(repeating.intervalNs == 2_500_000_000 && repeating.toleranceNs == 250_000_000)
    #expect(repeating.isFiring == false)
  }

  /// Bits without an activity are kept.
  @Test func bitsOfActivities() {
    #expect(ActivityMask(bits: 0xA0).unknownBits == 0)
    #expect(ActivityMask(bits: 0x108).activities == [] && ActivityMask(bits: 0x108).unknownBits == 0x108)
    #expect(ActivityMask(bits: 0xFFF_FFFF).isAll && ActivityMask(bits: 0xFFF_FFFF).unknownBits == 0)
    #expect(ActivityMask(bits: 0x1FFF_FFFF).unknownBits == 0x1000_0000)
  }

  /// The form of older systems.
  @Test func anOlderForm() throws {
    let loop = try Dumps.topology(
      """
      <CFRunLoop 0x100100 [0xa0]>{locked = false, wakeup port = 0xb03, stopped = false,
      current mode = (none),
      common modes = <CFSet 0x1 [0xa0]>{count = 1, capacity = 3, pairs = (
      \t0 : <CFString 0x1 [0xa0]>{contents = "kCFRunLoopDefaultMode"}
      )},
      common mode items = (null),
      modes = <CFSet 0x1 [0xa0]>{count = 1, capacity = 3, pairs = (
      \t0 : <CFRunLoopMode 0x2 [0xa0]>{name = kCFRunLoopDefaultMode, locked = false, port set = 0xc03,
      \tsources0 = (null),
      \tsources1 = (null),
      \tobservers = (null),
      \ttimers = <CFArray 0x3 [0xa0]>{type = mutable-small, count = 1, values = (
      \t0 : <CFRunLoopTimer 0x4 [0xa0]>{locked = No, valid = Yes, interval = 0.5, next fire date = 2.5e+08, order = 3, callout = tick (0x5), context = <CFRunLoopTimer context 0x0>}
      )}
      },
      )}}
      """)
    let timer = try #require(loop.modes.first?.timers.first)
    #expect(loop.currentMode == nil && loop.commonModes == [ModeName.default])
    #expect(timer.intervalNs == 500_000_000 && timer.toleranceNs == nil && timer.firesInNs == nil)
    #expect(timer.nextFireDateS == 250_000_000 && timer.callout?.name == "tick" && timer.order == nil)
  }
}
