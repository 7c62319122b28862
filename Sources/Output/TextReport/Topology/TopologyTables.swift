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

  private static let callout = ResultTable<Callout>(
    "callout", "callout of the item; null = not in the description"
  ) {
    Column("name", "name of the function; null = CoreFoundation did not find it") { $0.name }
    Column("role", "role of the named function, such as Delayed Perform or NSTimer") { $0.role }
    Column("address", "address of the function, hexadecimal") { $0.address.map(hex) }
    Column("target_address", "address of the function that a timer's callout calls, hexadecimal") {
      $0.target.map(hex)
    }
    Column("image", "binary that contains the function") { $0.image }
  }

  private static let kind = Column<LoopItem>(
    "kind", "source0, source1, observer or timer; source = a source of unknown version"
  ) {
    $0.kind.name
  }

  private static let aboutPurpose = "purpose of a well-known mode or item; null = unknown"

  private static let everyItem: [Column<LoopItem>] = [
    Column("address", "address of the item, hexadecimal") { hex($0.address) },
    Column.row(callout, ifAny: \.callout),
    Column("purpose", aboutPurpose) { $0.wellKnown?.purpose },
    Column("valid", "false = the item was invalidated and is never called again") { $0.isValid },
    Column("context", "description of the item by its owner") { $0.context },
  ]

  private static let order = Column<LoopItem>("order", "order among the mode's items, the lowest first") {
    $0.order
  }
  private static let signalled = Column<LoopItem>(
    "signalled", "whether the source is signalled and will be called"
  ) { $0.isSignalled }

  private static let ofObservers: [Column<LoopItem>] = [
    Column("activities", "activities that the observer observes") { $0.activities.map(names) },
    Column("activities_mask", "activities as a hexadecimal mask") { $0.activities.map { hex($0.bits) } },
    Column("repeats", "false = the loop calls it once") { $0.repeats },
  ]

  private static let ofTimers: [Column<LoopItem>] = [
    Column("interval_ns", "interval; 0 = the timer fires once") { $0.intervalNs },
    Column("tolerance_ns", "how late the timer may fire") { $0.toleranceNs },
    Column("firing", "whether the timer's callout is running") { $0.isFiring },
    Column("next_fire_date_s", "next fire date in seconds since 2001, as written, with nine digits") {
      $0.nextFireDateS
    },
    Column("fires_in_ns", "time from the description to the next fire; negative = overdue") { $0.firesInNs },
    Column("fires_at_ticks", "next fire by the system's clock; nanoseconds on Linux") { $0.firesAtTicks },
  ]

  private static func items(
    _ name: String, _ about: String, _ columns: [Column<LoopItem>]
  ) -> ResultTable<ItemRow> {
    ResultTable(name, about) {
      (everyItem + columns).map { $0.ofEach(\.item) }
      Column("common", "whether the item was added to the common modes") { $0.isCommon }
    }
  }

  private static let sources0 = items(
    "sources0", "sources of version 0, which the program signals, by order", [order, signalled])
  private static let sources1 = items(
    "sources1", "sources of version 1, which have a port, by order", [order, signalled])
  private static let observers = items("observers", "observers of the mode, by order", [order] + ofObservers)
  private static let timers = items("timers", "timers of the mode, in the order in which they fire", ofTimers)

  /// Returns a table for items of any kind with their modes. Properties that a kind lacks are null.
  static func placed(_ name: String, _ about: String) -> ResultTable<PlacedItem> {
    ResultTable(name, about) {
      ([kind] + everyItem + [order, signalled] + ofObservers + ofTimers).map { $0.ofEach(\.item) }
      Column("modes", "modes that contain the item") { $0.modes }
      Column("common", "whether the item was added to the common modes") { $0.isCommon }
    }
  }

  /// A mode and its loop.
  typealias ModeRow = (mode: TopologyMode, loop: Topology)

  static let modes = ResultTable<ModeRow>("modes", "modes of the loop, by name") {
    Column("name", "") { $0.mode.name }
    Column("purpose", aboutPurpose) { WellKnown.mode($0.mode.name)?.purpose }
    Column("address", "address of the mode, hexadecimal") { hex($0.mode.address) }
    Column("common", "whether the mode is one of the common modes") {
      $0.loop.commonModes.contains($0.mode.name)
    }
    Column("current", "whether a run in the mode was active") { $0.loop.currentMode == $0.mode.name }
    Column("described_s", "moment of the description in seconds since 2001, as written, with nine digits") {
      $0.mode.nowS
    }
    Column("deadline_ns", "time until the mode's timer fires; negative = overdue, null = none is set") {
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
