import LoopTopology
import TraceAnalysis
import TraceTables

/// An item in a list of a document.
struct ItemRow {
  let item: LoopItem
  /// Whether it was added to the common modes.
  let isCommon: Bool
}

/// Tables of a run loop's items, for documents.
enum TopologyTables {
  static func hex(_ number: UInt64) -> String { "0x\(String(number, radix: 16))" }

  /// Returns the names of the activities; unknown bits are a hexadecimal number.
  static func names(_ mask: ActivityMask) -> [String] {
    mask.activities.map(\.name) + (mask.unknownBits == 0 ? [] : [hex(mask.unknownBits)])
  }

  private static let callout = ResultTable<Callout>("callout", "what it calls; null = it does not say") {
    Column("name", "null = CoreFoundation did not find it") { $0.name }
    Column("role", "what the name is of: Delayed Perform, NSTimer") { $0.role }
    Column("address", "of the function, hexadecimal") { $0.address.map(hex) }
    Column("target_address", "where a timer's callout leads, hexadecimal") { $0.target.map(hex) }
    Column("image", "the binary that has it") { $0.image }
  }

  private static let kind = Column<LoopItem>("kind", "source0, source1, observer, timer; source = not known")
  {
    $0.kind.name
  }

  private static let everyItem: [Column<LoopItem>] = [
    Column("address", "of the item, hexadecimal") { hex($0.address) },
    Column.row(callout, ifAny: \.callout),
    Column("valid", "false = invalidated, never called again") { $0.isValid },
    Column("context", "how its owner describes it") { $0.context },
  ]

  private static let order = Column<LoopItem>("order", "lower is first") { $0.order }
  private static let signalled = Column<LoopItem>("signalled", "it will be called") { $0.isSignalled }

  private static let ofObservers: [Column<LoopItem>] = [
    Column("activities", "that it is told of") { $0.activities.map(names) },
    Column("activities_mask", "the same, hexadecimal") { $0.activities.map { hex($0.bits) } },
    Column("repeats", "false = it is called once") { $0.repeats },
  ]

  private static let ofTimers: [Column<LoopItem>] = [
    Column("interval_ns", "0 = it fires once") { $0.intervalNs },
    Column("tolerance_ns", "how much later it may fire") { $0.toleranceNs },
    Column("firing", "its callout runs") { $0.isFiring },
    Column("next_fire_date_s", "seconds since 2001, as written: nine digits") { $0.nextFireDateS },
    Column("fires_in_ns", "from when it was described; negative = overdue") { $0.firesInNs },
    Column("fires_at_ticks", "by the system's clock; nanoseconds on Linux") { $0.firesAtTicks },
  ]

  private static func items(
    _ name: String, _ about: String, _ columns: [Column<LoopItem>]
  ) -> ResultTable<ItemRow> {
    ResultTable(name, about) {
      (everyItem + columns).map { $0.ofEach(\.item) }
      Column("common", "added to the common modes") { $0.isCommon }
    }
  }

  private static let sources0 = items("sources0", "signalled by hand, by order", [order, signalled])
  private static let sources1 = items("sources1", "of ports, by order", [order, signalled])
  private static let observers = items("observers", "by order", [order] + ofObservers)
  private static let timers = items("timers", "in the order in which they fire", ofTimers)

  /// Returns a table for items of any kind with their modes. Properties that a kind lacks are null.
  static func placed(_ name: String, _ about: String) -> ResultTable<PlacedItem> {
    ResultTable(name, about) {
      ([kind] + everyItem + [order, signalled] + ofObservers + ofTimers).map { $0.ofEach(\.item) }
      Column("modes", "that it is in") { $0.modes }
      Column("common", "added to the common modes") { $0.isCommon }
    }
  }

  /// A mode and its loop.
  typealias ModeRow = (mode: TopologyMode, loop: Topology)

  static let modes = ResultTable<ModeRow>("modes", "by name") {
    Column("name", "") { $0.mode.name }
    Column("address", "hexadecimal") { hex($0.mode.address) }
    Column("common", "one of the common modes") { $0.loop.commonModes.contains($0.mode.name) }
    Column("current", "a run in it was active") { $0.loop.currentMode == $0.mode.name }
    Column("described_s", "when, in seconds since 2001, as written: nine digits") { $0.mode.nowS }
    Column("deadline_ns", "until the mode's timer goes off; negative = overdue, null = none is set") {
      $0.mode.deadlineNs
    }
    Column.rows(sources0) { rows($0.mode.sources0, $0.loop) }
    Column.rows(sources1) { rows($0.mode.sources1, $0.loop) }
    Column.rows(observers) { rows($0.mode.observers, $0.loop) }
    Column.rows(timers) { rows($0.mode.timers, $0.loop) }
  }

  static func rows(_ items: [LoopItem], _ loop: Topology) -> [ItemRow] {
    let common = Set(loop.commonItems.map(\.address))
    return items.map { ItemRow(item: $0, isCommon: common.contains($0.address)) }
  }
}
