/// The modes of its loop that a timer is in, by CoreFoundation's rules.
///
/// "The common modes" is not a mode. A loop keeps a set of common modes and a set of common items:
///
/// - Adding an item to the common modes makes it a common item and adds it to each mode that is common now.
/// - Removing a common item from the common modes removes it from each mode that is common now, whichever call added
///   it there. Removing any other item does nothing.
/// - A common item that is removed from one mode remains a common item.
/// - A mode that becomes common gets all common items.
struct TimerMembership {
  /// The modes that contain the timer.
  var modes = ModeSet()
  private(set) var isCommonItem = false

  /// `common`: the modes of the timer's loop that are common now.
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

  /// If no common modes of the loop are known, a common item is still in some mode: the default mode is always
  /// common.
  func isInAnyMode(common: ModeSet) -> Bool { !modes.isEmpty || isCommonItem && common.isEmpty }

  /// Returns the modes that a class reports. The common modes are reported as such while the timer is in all of them.
  func stated(common: ModeSet) -> (modes: ModeSet, isCommon: Bool) {
    guard isCommonItem, common.isSubset(of: modes) else { return (modes, false) }
    var others = modes
    others.subtract(common)
    return (others, true)
  }
}
