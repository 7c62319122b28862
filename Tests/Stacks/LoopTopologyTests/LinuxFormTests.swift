import LoopTopology
import RunLoopVocabulary
import TestSupport
import Testing

/// The description of a run loop by CFCopyDescription on Linux.
@Suite struct LinuxFormTests {
  /// An item that a program reports having added: `timer interval=0.25 delay=60.0 modes=A|B|(common)`.
  private struct SetUp: Hashable {
    var kind: String
    var order: Int64?
    var activities: UInt64?
    var repeats: Bool?
    var signalled: Bool?
    var intervalNs: UInt64?
    var modes: [String]
    var isCommon: Bool

    init?(_ line: Substring) {
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let list = words[1].range(of: "modes=") else { return nil }
      kind = String(words[0])
      let names = words[1][list.upperBound...].split(separator: "|").map(String.init)
      isCommon = names.contains("(common)")
      modes = names.filter { $0 != "(common)" }.sorted()
      for word in words[1][..<list.lowerBound].split(separator: " ") {
        let field = word.split(separator: "=").map(String.init)
        switch field[0] {
        case "order": order = Int64(field[1])
        case "activities": activities = UInt64(field[1].dropFirst(2), radix: 16)
        case "repeats": repeats = field[1] == "true"
        case "signalled": signalled = field[1] == "true"
        case "interval": intervalNs = Double(field[1]).map { UInt64($0 * 1e9) }
        default: break
        }
      }
    }

    init(_ placed: PlacedItem) {
      kind = placed.item.kind.name
      order = placed.item.order
      activities = placed.item.activities?.bits
      repeats = placed.item.repeats
      signalled = placed.item.isSignalled
      intervalNs = placed.item.intervalNs
      modes = placed.modes
      isCommon = placed.isCommon
    }
  }

  private static func setUps(_ output: some StringProtocol) -> [SetUp] {
    output.split(separator: "\n").filter { $0.hasPrefix("set-up ") }
      .compactMap { SetUp(Substring($0.dropFirst("set-up ".count))) }
  }

  /// Returns how often each item occurs, in any order.
  private static func counts(_ items: [SetUp]) -> [SetUp: Int] {
    Dictionary(items.map { ($0, 1) }, uniquingKeysWith: +)
  }

  @Test func theDumpOfALiveProgramHasItsItems() throws {
    let run = try Program.loopPrograms.run(["inventory"])
    try #require(run.status == 0, "\(run.errors)")
    let before = try Dumps.topology(run.output, 1)
    let setUps = Self.setUps(run.output)
    try #require(setUps.count == 10)
    #expect(Self.counts(before.inventory.map(SetUp.init)) == Self.counts(Array(setUps.prefix(9))))
    #expect(before.form == .linux && before.currentMode == nil && before.isStopped == false)
    #expect(before.commonModes == [ModeName.tracking, ModeName.default])
    #expect(
      before.modes.map(\.name) == [
        ModeName.tracking, "a mode, with \"quotes\" and {braces}", ModeName.default,
      ])
    // The next fire dates are the requested ones, within the precision of nine digits.
    let delays = before.inventory.filter { $0.item.kind == .timer }.map { $0.item.firesInNs ?? 0 }
    for (delay, asked) in zip(delays.sorted(), [60, 120, 3600]) {
      #expect((Double(asked) - Double(delay) / 1e9).magnitude < 30)
    }
  }

  @Test func addingATimerIsOneAddition() throws {
    let run = try Program.loopPrograms.run(["inventory"])
    try #require(run.status == 0, "\(run.errors)")
    let difference = TopologyDifference(
      base: try Dumps.topology(run.output, 1), other: try Dumps.topology(run.output, 2))
    #expect(difference.isSameProcess)
    #expect(difference.added.map(SetUp.init) == Array(Self.setUps(run.output).suffix(1)))
    #expect(difference.removed.isEmpty && difference.moved.isEmpty && difference.changed.isEmpty)
    #expect(difference.alike == 9)
  }

  /// Two runs of one program place the same items at different addresses.
  @Test func twoProcessesOfOneProgram() throws {
    let runs = try [1, 2].map { _ in try Program.loopPrograms.run(["inventory"]).output }
    let same = TopologyDifference(
      base: try Dumps.topology(runs[0], 1), other: try Dumps.topology(runs[1], 1))
    #expect(same.isEmpty && same.alike == 9, "\(same)")
    let more = TopologyDifference(
      base: try Dumps.topology(runs[0], 1), other: try Dumps.topology(runs[1], 2))
    #expect(more.added.map(\.item.intervalNs) == [500_000_000] && more.alike == 9, "\(more)")
    #expect(more.removed.isEmpty && more.changed.isEmpty)
  }

  @Test func fromInsideACallout() throws {
    let run = try Program.loopPrograms.run(["inventory", "inside"])
    let loop = try Dumps.topology(run.output)
    let name = "a mode, with \"quotes\" and {braces}"
    #expect(loop.currentMode == name)
    let mode = try #require(loop.modes.first { $0.name == name })
    #expect(mode.timers.count { $0.isFiring == true } == 1)
    // The observer was called once and is gone.
    #expect(mode.observers.map(\.order) == [-5])
  }

  /// The description of a socket has several lines, and no name for its callout.
  @Test func aSocket() throws {
    var loop = LinuxLoop()
    loop.items = [
      (
        """
        <CFRunLoopSource 0x55 [0x7f00]>{signalled = Yes, valid = Yes, order = 0, context = <CFSocket 0x66 [0x7f00]>\
        {valid = Yes, type = 1, socket = 11, socket set count = 1,
            callback types = 0x1, callout = <unknown> (0x5700), source = 0x55,
            run loops = <CFArray 0x77 [0x7f00]>{type = mutable-small, count = 1, values = (
        \t0 : <0x1000>
        )},
            context = <CFSocket context (nil)>}}
        """, ["C"]
      ), (loop.timer("0x88"), ["C"]),
    ]
    let mode = try #require(try loop.topology.modes.last)
    #expect(mode.name == "C" && mode.timers.count == 1)
    let source = try #require(mode.sources0.first)
    #expect(source.isSignalled == true && source.contextHead == "<CFSocket ")
    #expect(source.callout?.name == nil && source.callout?.address == 0x5700)
  }

  /// Intervals that are too long for a time, or negative.
  @Test func endlessTimers() throws {
    var loop = LinuxLoop()
    loop.items = [
      (loop.timer("0x88", "1e+30"), ["C"]), (loop.timer("0x99", "-1"), ["C"]),
    ]
    let timers = try #require(try loop.topology.modes.last?.timers)
    #expect(timers.map(\.intervalNs) == [0, UInt64(Int64.max)])
  }
}
