/// Pairs the items that are the same in two loops. Each step pairs some of the items that are left: by address and
/// callout, then by everything that does not change while an item lives.
///
/// Within one process there are no other steps, because distinct objects have distinct addresses. Between two
/// processes, further steps drop requirements one by one: the modes, everything in the context but its kind, then the
/// callout if it has no name (the program was rebuilt). The last step requires only the callout, so that another order
/// or interval counts as a change.
struct ItemMatcher {
  let isSameProcess: Bool
  /// The items without a partner.
  private(set) var base: [PlacedItem]
  private(set) var other: [PlacedItem]
  private(set) var pairs: [(base: PlacedItem, other: PlacedItem)] = []

  init(_ base: Topology, _ other: Topology) {
    self.base = base.inventory
    self.other = other.inventory
    isSameProcess =
      base.address == other.address && base.allocator == other.allocator
      && !Self.hasMoved(self.base, self.other)
  }

  /// Returns whether a function of the same name has another address: systems load code at different addresses in each
  /// process.
  private static func hasMoved(_ base: [PlacedItem], _ other: [PlacedItem]) -> Bool {
    func places(_ items: [PlacedItem]) -> [String: Set<UInt64>] {
      var places: [String: Set<UInt64>] = [:]
      for callout in items.compactMap(\.item.callout) {
        if let name = callout.name, let address = callout.address {
          places[name, default: []].insert(address)
        }
      }
      return places
    }
    let others = places(other)
    return places(base).contains { name, places in others[name]?.isDisjoint(with: places) == true }
  }

  mutating func match() {
    pair { Identity(kind: $0.item.kind, address: $0.item.address, callout: .exact($0.item.callout)) }
    guard !isSameProcess else {
      pair { Identity($0, callout: .exact($0.item.callout), context: $0.item.context) }
      return
    }
    pair { Identity($0, context: $0.item.contextWithoutAddresses, modes: $0.modes) }
    pair { Identity($0, context: $0.item.contextWithoutAddresses) }
    pair { Identity($0, context: $0.item.contextHead) }
    pair { $0.item.callout?.name == nil ? Identity($0, callout: nil, context: $0.item.contextHead) : nil }
    pair { placed in
      Identity.Function.inAnyProcess(placed.item.callout).map {
        Identity(kind: placed.item.kind, callout: $0, context: placed.item.contextHead)
      }
    }
    pair { placed in
      guard placed.item.callout?.name != nil else { return nil }
      return Identity(kind: placed.item.kind, callout: .exact(placed.item.callout))
    }
  }

  /// Pairs items of equal identity, in their order.
  private mutating func pair(by identity: (PlacedItem) -> Identity?) {
    var waiting: [Identity: [Int]] = [:]
    for (index, item) in base.enumerated().reversed() {
      if let identity = identity(item) { waiting[identity, default: []].append(index) }
    }
    var paired: Set<Int> = []
    var left: [PlacedItem] = []
    for item in other {
      if let identity = identity(item), let index = waiting[identity]?.popLast() {
        pairs.append((base[index], item))
        paired.insert(index)
      } else {
        left.append(item)
      }
    }
    other = left
    base = base.enumerated().filter { !paired.contains($0.offset) }.map(\.element)
  }
}

/// The properties that identify an item. Nil properties do not count.
private struct Identity: Hashable {
  enum Function: Hashable {
    case name(String, role: String?)
    case address(UInt64)
    /// The offset within a page of memory, which is constant because code is loaded in whole pages.
    case placeInPage(UInt64)

    private static func name(of callout: Callout?) -> Function? {
      callout?.name.map { .name($0, role: callout?.role) }
    }

    static func exact(_ callout: Callout?) -> Function? {
      name(of: callout) ?? callout?.address.map(Function.address)
    }

    static func inAnyProcess(_ callout: Callout?) -> Function? {
      name(of: callout) ?? callout?.address.map { .placeInPage($0 & 0xFFF) }
    }
  }

  var kind: LoopItem.Kind
  var address: UInt64?
  var callout: Function?
  var order: Int64?
  var activities: UInt64?
  var intervalNs: UInt64?
  var repeats: Bool?
  var context: String?
  var modes: [String]?
}

extension Identity {
  /// Uses the properties that do not change while an item lives.
  init(_ placed: PlacedItem, callout: Function?, context: String?, modes: [String]? = nil) {
    let item = placed.item
    self.init(
      kind: item.kind, callout: callout, order: item.order, activities: item.activities?.bits,
      intervalNs: item.intervalNs, repeats: item.repeats, context: context, modes: modes)
  }

  init(_ placed: PlacedItem, context: String?, modes: [String]? = nil) {
    self.init(placed, callout: .inAnyProcess(placed.item.callout), context: context, modes: modes)
  }
}
