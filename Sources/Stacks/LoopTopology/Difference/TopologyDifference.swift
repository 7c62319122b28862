/// The difference between two descriptions of a run loop, or of two run loops.
public struct TopologyDifference: Sendable, Equatable {
  public struct Pair: Sendable, Equatable {
    public package(set) var base: PlacedItem
    public package(set) var other: PlacedItem
    /// The fields that differ.
    public package(set) var fields: [ItemField]
  }

  /// Whether both describe one process, in which an address identifies an item.
  public let isSameProcess: Bool
  public let baseCurrentMode: String?
  public let otherCurrentMode: String?
  public let addedModes: [String]
  public let removedModes: [String]
  public let addedCommonModes: [String]
  public let removedCommonModes: [String]
  /// The items that only the other description has.
  public private(set) var added: [PlacedItem] = []
  public private(set) var removed: [PlacedItem] = []
  /// The items that are in other modes, unless that follows from a change of the common modes.
  public private(set) var moved: [Pair] = []
  /// The items with different fields. An item may be in `moved` and `changed`.
  public private(set) var changed: [Pair] = []
  /// The number of items that are the same in both.
  public private(set) var alike = 0

  public init(base: Topology, other: Topology) {
    func modes(_ topology: Topology) -> Set<String> { Set(topology.modes.map(\.name)) }
    let common = (base: Set(base.commonModes), other: Set(other.commonModes))
    baseCurrentMode = base.currentMode
    otherCurrentMode = other.currentMode
    addedModes = modes(other).subtracting(modes(base)).ordered()
    removedModes = modes(base).subtracting(modes(other)).ordered()
    addedCommonModes = common.other.subtracting(common.base).ordered()
    removedCommonModes = common.base.subtracting(common.other).ordered()
    var matcher = ItemMatcher(base, other)
    isSameProcess = matcher.isSameProcess
    matcher.match()
    removed = matcher.base
    added = matcher.other
    for (one, two) in matcher.pairs {
      let fields = ItemField.allCases.filter { $0.value(of: one.item) != $0.value(of: two.item) }
      let pair = Pair(base: one, other: two, fields: fields)
      var expected = Set(one.modes)
      if one.isCommon, two.isCommon {
        expected = expected.subtracting(removedCommonModes).union(addedCommonModes)
      }
      let hasMoved = expected != Set(two.modes) || one.isCommon != two.isCommon
      if hasMoved { moved.append(pair) }
      if !fields.isEmpty { changed.append(pair) }
      if !hasMoved, fields.isEmpty { alike += 1 }
    }
  }

  /// Whether nothing differs, not even the current mode.
  public var isEmpty: Bool {
    added.isEmpty && removed.isEmpty && moved.isEmpty && changed.isEmpty && addedModes.isEmpty
      && removedModes.isEmpty && addedCommonModes.isEmpty && removedCommonModes.isEmpty
      && baseCurrentMode == otherCurrentMode
  }
}
