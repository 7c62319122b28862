import Foundation
import LoopTopology
import RunLoopVocabulary
import TestSupport
import Testing

/// The table of modes and items that systems put into run loops.
@Suite struct WellKnownTests {
  private static let page = "docs/reference/loop-items.md"

  /// Returns what is known of a source with this callout.
  private func source(_ callout: String) throws -> WellKnown? {
    var loop = LinuxLoop()
    loop.items = [(loop.source("0x2000", callout), ["A"])]
    return try Dumps.topology(loop.text).inventory[0].item.wellKnown
  }

  /// RLTRACE_UPDATE_GOLDEN=1 writes the table.
  @Test func thePageHasTheTable() throws {
    var lines = try ProjectFiles.text(Self.page).components(separatedBy: "\n")
    let table = lines.indices.filter { lines[$0].hasPrefix("|") }
    let first = try #require(table.first), last = try #require(table.last)
    lines.replaceSubrange(first...last, with: WellKnown.table)
    try GeneratedFile.expect(Self.page, is: lines.joined(separator: "\n"))
  }

  @Test func eachNameIsUnique() {
    let names = WellKnown.all.flatMap(\.names)
    #expect(Set(names).count == names.count)
    #expect(WellKnown.all.contains { $0.purpose == nil } && WellKnown.all.contains { $0.since == nil })
  }

  /// Redaction keeps the names of all modes that are well known.
  @Test func theModesAreThoseOfSystems() {
    let modes = WellKnown.all.filter { $0.kind == .mode }.flatMap(\.names)
    #expect(Set(modes) == ModeName.ofSystems.subtracting([ModeName.noRunLoop]))
    for mode in modes { #expect(WellKnown.mode(mode)?.names.contains(mode) == true) }
    #expect(WellKnown.mode("MyMode") == nil && WellKnown.mode("CFSocket") == nil)
  }

  /// Tools write names with another number of underscores, and C++ names with their parameters.
  @Test(arguments: [
    ("PurpleEventCallback", "PurpleEventCallback"), ("_PurpleEventCallback", "PurpleEventCallback"),
    ("handleEventQueue", "__handleEventQueue"), ("___handleEventQueue", "__handleEventQueue"),
    ("_UIApplicationHandleEventQueue", "__handleEventQueue"),
    ("_CFSocketPerformV0", "__CFSocketPerformV0"),
    ("cfstream_solo_signalEventSync", "_cfstream_shared_signalEventSync"),
  ])
  func spellings(name: String, expected: String) throws {
    #expect(try source("\(name) (0x5500)")?.name == expected)
  }

  @Test func namesOfCPlusPlus() throws {
    for name in [
      "_ZN2CA11Transaction17observer_callbackEP19__CFRunLoopObservermPv",
      "__ZN2CA11Transaction17observer_callbackEP19__CFRunLoopObservermPv",
      "CA::Transaction::observer_callback",
    ] {
      #expect(try source("\(name) (0x5500)")?.from == "QuartzCore", "\(name)")
    }
    var callout = Callout()
    callout.name = "CA::Transaction::observer_callback(__CFRunLoopObserver*, unsigned long, void*)"
    var item = LoopItem(.observer, address: 1)
    item.callout = callout
    #expect(item.wellKnown?.from == "QuartzCore")
  }

  /// Functions without names have the kind of their context, as on Linux.
  @Test func contextsAndRoles() {
    var item = LoopItem(.source1, address: 1)
    #expect(item.wellKnown == nil)
    let cases: [(context: String, name: String?)] = [
      ("<CFRunLoopSource MIG Server> {port = 14855, subsystem = 0x10c168fe0}", "MIG Server"),
      ("<CFSocket 0x5555 [0x7f00]>{valid = Yes, socket = 7}", "__CFSocketPerformV0"),
      ("<CFRunLoopSource context>{version = 0, info = 0x0}", nil), ("", nil),
    ]
    for (context, name) in cases {
      item.context = context
      #expect(item.wellKnown?.name == name, "\(context)")
    }
    var timer = LoopItem(.timer, address: 2)
    timer.callout = Callout()
    timer.callout?.name = "[NotesController refresh:]"
    #expect(timer.wellKnown == nil)
    timer.callout?.role = "NSTimer"
    #expect(timer.wellKnown?.name == "NSTimer")
  }

  @Test func aLogOfAnApp() throws {
    let topology = try Dumps.topology(Dumps.notesApp())
    let names = topology.wellKnown.map(\.name)
    #expect(
      names.prefix(3) == ["kCFRunLoopDefaultMode", "UITrackingRunLoopMode", "GSEventReceiveRunLoopMode"])
    #expect(names.contains("_wrapRunLoopWithAutoreleasePoolHandler") && names.last == "Delayed Perform")
    #expect(topology.unknownNames == ["__IOHIDEventServiceCallback"])
  }

  /// The shared fixture, if it is available.
  private static let shared = ProjectFiles.root.deletingLastPathComponent()
    .appendingPathComponent("shared/fixtures/runloop-dump-ios.txt")

  @Test(.enabled(if: FileManager.default.fileExists(atPath: shared.path), "the shared fixtures are not here"))
  func theMainLoopOfIOS() throws {
    let topology = try Dumps.topology([UInt8](try Data(contentsOf: Self.shared)))
    #expect(topology.unknownNames.isEmpty, "\(topology.unknownNames)")
    #expect(topology.wellKnown.count == 14)
    #expect(topology.wellKnown.allSatisfy { $0.purpose != nil })
  }
}
