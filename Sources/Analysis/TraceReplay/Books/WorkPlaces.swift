import TraceFormat

/// The modes of loops in which sources and blocks may run, by CoreFoundation's rules for common modes.
package final class WorkPlaces {
  /// The modes of one loop in which a piece of work may run.
  struct Place {
    var loop: LoopID
    /// The modes that the work was added to by name.
    var modes = ModeSet()
    /// Whether the work is one of the loop's common items. It may then run in each common mode, except those that it
    /// was removed from by name.
    var isCommon = false
    var removed = ModeSet()
    /// False = the recording does not contain the modes.
    var areModesKnown = true

    var isEmpty: Bool { modes.isEmpty && !isCommon }
  }

  private var places: [ObjectID: [Place]] = [:]
  /// The modes of blocks that may run in several modes.
  private var modesOfBlocks: [ObjectID: ModeSet] = [:]
  private var commonModes: [LoopID: ModeSet] = [:]
  /// The mode id of kCFRunLoopCommonModes; `outside` = the trace does not name it.
  let commonModesID: ModeID
  /// Whether a source without a place is known to be in no mode: additions are recorded, and none was left out.
  var knowsAllSources: Bool { hasAdditions && !isOverfull }
  private var isOverfull = false
  private var hasAdditions = false

  init(commonModesID: ModeID) { self.commonModesID = commonModesID }

  /// Returns the place of a block. `mode` is the mode of `block.create`; `outside` = several modes, or not known.
  func placeOfBlock(_ block: ObjectID, mode: ModeID, loop: LoopID) -> Place {
    var place = Place(loop: loop)
    var modes = modesOfBlocks[block] ?? ModeSet()
    if mode != .outside { modes.insert(mode) }
    place.areModesKnown = !modes.isEmpty
    if isCommon(commonModesID), modes.contains(commonModesID) {
      place.isCommon = true
      modes.remove(commonModesID)
    }
    place.modes = modes
    return place
  }

  func addBlock(_ block: ObjectID, modes: [ModeID]) {
    // If one mode is unknown, the others are useless.
    guard modesOfBlocks.count < AnalysisLimits.placedSources, !modes.contains(.outside) else { return }
    modesOfBlocks[block] = modes.reduce(into: ModeSet()) { $0.insert($1) }
  }

  func places(of source: ObjectID) -> [Place] { places[source] ?? [] }

  /// Returns whether work at a place may run in a mode. If no common mode of a loop is known, any mode may be one.
  func isEligible(_ mode: ModeID, _ place: Place) -> Bool {
    if place.modes.contains(mode) { return true }
    guard place.isCommon, !place.removed.contains(mode) else { return false }
    return commonModes[place.loop]?.contains(mode) ?? true
  }

  private func isCommon(_ mode: ModeID) -> Bool { mode == commonModesID && mode != .outside }

  func add(_ source: ObjectID, mode: ModeID, loop: LoopID) {
    hasAdditions = true
    guard places[source] != nil || places.count < AnalysisLimits.placedSources else {
      isOverfull = true
      return
    }
    var known = places[source] ?? []
    let at = known.firstIndex { $0.loop == loop } ?? known.count
    if at == known.count {
      guard known.count < AnalysisLimits.loopsOfSource else {
        isOverfull = true
        return
      }
      known.append(Place(loop: loop))
    }
    if isCommon(mode) {
      known[at].isCommon = true
      known[at].removed = ModeSet()
    } else {
      known[at].modes.insert(mode)
      known[at].removed.remove(mode)
    }
    places[source] = known
  }

  /// Removes a source from a mode. The event does not name the loop, so a source in several loops leaves the mode in
  /// each of them.
  func remove(_ source: ObjectID, mode: ModeID) {
    guard var known = places[source] else { return }
    for at in known.indices {
      if !isCommon(mode) {
        known[at].modes.remove(mode)
        // A mode that becomes common later gets every common item.
        if commonModes[known[at].loop]?.contains(mode) ?? true { known[at].removed.insert(mode) }
      } else if known[at].isCommon {
        known[at].isCommon = false
        known[at].modes.subtract(commonModes[known[at].loop] ?? ModeSet())
      }
    }
    places[source] = known.filter { !$0.isEmpty }
  }

  func end(_ source: ObjectID) { places[source] = nil }

  func addCommonMode(_ mode: ModeID, of loop: LoopID) {
    guard commonModes[loop] != nil || commonModes.count < AnalysisLimits.loops else { return }
    commonModes[loop, default: ModeSet()].insert(mode)
  }
}
