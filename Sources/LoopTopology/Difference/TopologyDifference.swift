/// What a run loop has that it had not, or that another has not.
public struct TopologyDifference: Sendable, Equatable {
  public struct Pair: Sendable, Equatable {
    public package(set) var base: PlacedItem
    public package(set) var other: PlacedItem
    /// Those that differ.
    public package(set) var fields: [ItemField]
  }

  /// Both describe one process: an address is an identity.
  public let isSameProcess: Bool
  public let baseCurrentMode: String?
  public let otherCurrentMode: String?
  public let addedModes: [String]
  public let removedModes: [String]
  public let addedCommonModes: [String]
  public let removedCommonModes: [String]
  /// In the other only.
  public private(set) var added: [PlacedItem] = []
  public private(set) var removed: [PlacedItem] = []
  /// In other modes. What only follows a change of the common modes is not among them.
  public private(set) var moved: [Pair] = []
  /// With other fields; an item may be moved as well.
  public private(set) var changed: [Pair] = []
  /// Items that are the same in both.
  public private(set) var alike = 0

  public init(base: Topology, other: Topology) {
    func modes(_ topology: Topology) -> Set<String> { Set(topology.modes.map(\.name)) }
    let common = (base: Set(base.commonModes), other: Set(other.commonModes))
    baseCurrentMode = base.currentMode
    otherCurrentMode = other.currentMode
    addedModes = modes(other).subtracting(modes(base)).sorted()
    removedModes = modes(base).subtracting(modes(other)).sorted()
    addedCommonModes = common.other.subtracting(common.base).sorted()
    removedCommonModes = common.base.subtracting(common.other).sorted()
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

  /// Nothing differs, not even the mode that runs.
  public var isEmpty: Bool {
    added.isEmpty && removed.isEmpty && moved.isEmpty && changed.isEmpty && addedModes.isEmpty
      && removedModes.isEmpty && addedCommonModes.isEmpty && removedCommonModes.isEmpty
      && baseCurrentMode == otherCurrentMode
  }
}
