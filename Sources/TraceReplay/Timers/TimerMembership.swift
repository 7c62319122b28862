/// Which modes of its loop a timer is in, by CoreFoundation's rules.
///
/// "The common modes" is no mode. A loop keeps a set of common modes and a set of common items:
///
/// - Adding an item to the common modes makes it a common item and adds it to each mode that is common now.
/// - Removing a common item from the common modes takes it out of each mode that is common now, whichever call put it there.
///   Of any other item the call removes nothing.
/// - Removing an item from one mode leaves it a common item.
/// - A mode that becomes common takes in all common items.
struct TimerMembership {
  /// The modes that hold it.
  var modes = ModeSet()
  private(set) var isCommonItem = false

  /// `common`: the modes of its loop that are common now.
  mutating func add(_ mode: ModeID, isCommonModes: Bool, common: ModeSet) {
    if isCommonModes {
      isCommonItem = true
      modes.formUnion(common)
    } else {
      modes.insert(mode)
    }
  }

  mutating func remove(_ mode: ModeID, isCommonModes: Bool, common: ModeSet) {
    if !isCommonModes {
      modes.remove(mode)
    } else if isCommonItem {
      isCommonItem = false
      modes.subtract(common)
    }
  }

  /// Of a loop without known common modes, a common item is in some mode all the same: the default mode is always common.
  func isInAnyMode(common: ModeSet) -> Bool { !modes.isEmpty || isCommonItem && common.isEmpty }

  /// How a class states its modes: the common modes as such, as long as the timer is in all of them.
  func stated(common: ModeSet) -> (modes: ModeSet, isCommon: Bool) {
    guard isCommonItem, common.isSubset(of: modes) else { return (modes, false) }
    var others = modes
    others.subtract(common)
    return (others, true)
  }
}
