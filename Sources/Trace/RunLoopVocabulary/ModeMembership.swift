/// The modes of one loop that an item is in, by CoreFoundation's rules.
///
/// "The common modes" is not a mode. A loop keeps a set of common modes and a set of common items:
///
/// - Adding an item to the common modes makes it a common item and adds it to each mode that is common now.
/// - Removing a common item from the common modes removes it from each mode that is common now, whichever call added
///   it there. Removing any other item does nothing.
/// - A common item that is removed from one mode remains a common item.
/// - A mode that becomes common gets all common items.
///
/// The parameter `common` has the modes of the loop that are common now; nil = not known, so any mode may be.
@usableFromInline package struct ModeMembership {
  /// The modes that the item was added to by name.
  @usableFromInline package private(set) var named = ModeSet()
  /// Whether the item is a common item. It is then in each common mode, except those that it was removed from by name.
  @usableFromInline package private(set) var isCommonItem: Bool
  @usableFromInline package private(set) var removed = ModeSet()

  package init(isCommonItem: Bool = false) { self.isCommonItem = isCommonItem }

  package var isEmpty: Bool { named.isEmpty && !isCommonItem }

  package mutating func add(_ mode: ModeID, isCommonModes: Bool) {
    if isCommonModes {
      isCommonItem = true
      removed = ModeSet()
    } else {
      named.insert(mode)
      removed.remove(mode)
    }
  }

  package mutating func remove(_ mode: ModeID, isCommonModes: Bool, common: ModeSet?) {
    if !isCommonModes {
      named.remove(mode)
      // A mode that becomes common later gets every common item.
      if common?.contains(mode) ?? true { removed.insert(mode) }
    } else if isCommonItem {
      isCommonItem = false
      named.subtract(common ?? ModeSet())
    }
  }

  @inlinable package func contains(_ mode: ModeID, common: ModeSet?) -> Bool {
    named.contains(mode) || isCommonItem && !removed.contains(mode) && common?.contains(mode) ?? true
  }

  /// If no common modes are known, a common item is still in some mode: the default mode is always common.
  @inlinable package func isInAnyMode(common: ModeSet) -> Bool {
    !named.isEmpty || isCommonItem && (common.isEmpty || !common.isSubset(of: removed))
  }

  /// Returns the modes that a class reports. The common modes are reported as such while the item is in all of them.
  package func stated(common: ModeSet) -> (modes: ModeSet, isCommon: Bool) {
    var modes = named
    guard isCommonItem else { return (modes, false) }
    let isInAll = removed.isEmpty
    if !isInAll { modes.formUnion(common) }
    modes.subtract(isInAll ? common : removed)
    return (modes, isInAll)
  }
}
