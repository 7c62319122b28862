import TraceFormat

/// The modes of loops in which sources and blocks may run, by CoreFoundation's rules for common modes.
package final class WorkPlaces {
  /// The modes of one loop in which a piece of work may run.
  struct Place {
    var loop: LoopID
    var membership = ModeMembership()
    /// False = the recording does not contain the modes.
    var areModesKnown = true
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
    for mode in modes.modes { place.membership.add(mode, isCommonModes: isCommon(mode)) }
    return place
  }

  func addBlock(_ block: ObjectID, modes: [ModeID]) {
    // If one mode is unknown, the others are useless.
    guard modesOfBlocks.count < AnalysisLimits.placedSources, !modes.contains(.outside) else { return }
    modesOfBlocks[block] = modes.reduce(into: ModeSet()) { $0.insert($1) }
  }

  /// Returns the places where a source is in a mode now.
  func places(of source: ObjectID) -> [Place] {
    places[source]?.filter { $0.membership.isInAnyMode(common: commonModes[$0.loop] ?? ModeSet()) } ?? []
  }

  /// Returns whether a loop has a source. A common item may be in no mode now.
  func isPlaced(_ source: ObjectID) -> Bool { places[source]?.isEmpty == false }

  /// Returns whether work at a place may run in a mode. If no common mode of a loop is known, any mode may be one.
  func isEligible(_ mode: ModeID, _ place: Place) -> Bool {
    place.membership.contains(mode, common: commonModes[place.loop])
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
    known[at].membership.add(mode, isCommonModes: isCommon(mode))
    places[source] = known
  }

  /// Removes a source from a mode. The event does not name the loop, so a source in several loops leaves the mode in
  /// each of them.
  func remove(_ source: ObjectID, mode: ModeID) {
    guard var known = places[source] else { return }
    for at in known.indices {
      known[at].membership.remove(mode, isCommonModes: isCommon(mode), common: commonModes[known[at].loop])
    }
    places[source] = known.filter { !$0.membership.isEmpty }
  }

  func end(_ source: ObjectID) { places[source] = nil }

  func addCommonMode(_ mode: ModeID, of loop: LoopID) {
    guard commonModes[loop] != nil || commonModes.count < AnalysisLimits.loops else { return }
    commonModes[loop, default: ModeSet()].insert(mode)
  }
}
