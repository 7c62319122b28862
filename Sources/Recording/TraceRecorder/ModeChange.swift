import RunLoopVocabulary
import TraceFormat

/// An object joins or leaves a mode, or a mode of a loop becomes common.
struct ModeChange {
  /// The number of changes of an object that are kept before those without effect are dropped.
  fileprivate static let most = 256
  /// The number of loops in which an object is followed.
  fileprivate static let loopsAtMost = 16

  var time: UInt64
  var joins: Bool
  var event: RestatedEvent

  /// The object id of the loop; nil = the event does not name it.
  var loop: UInt32? {
    event.arguments.dropFirst(EventRole.Membership.loop).first.map { UInt32(truncatingIfNeeded: $0) }
  }

  var mode: ModeID { ModeID(UInt8(truncatingIfNeeded: event.arguments[EventRole.Membership.mode])) }
}

/// The changes of one object, in time order.
extension [ModeChange] {
  var areTooMany: Bool { count > ModeChange.most }

  mutating func insert(_ change: ModeChange) {
    var at = count
    while at > 0, self[at - 1].time > change.time { at -= 1 }
    insert(change, at: at)
  }

  /// Returns the changes that determine the present modes. They have the same result if they are repeated after the
  /// loops' common modes were restated.
  ///
  /// `commonModes` is the id of kCFRunLoopCommonModes; nil = not known. `common` returns the modes of a loop that were
  /// common at a time; nil = not known. O(changes²).
  func decisive(
    commonModes: ModeID?, common: (_ loop: UInt32?, _ time: UInt64) -> ModeSet?
  ) -> [ModeChange] {
    // Most objects have one change.
    if count < 2 { return filter(\.joins) }
    var places: [(loop: UInt32?, membership: ModeMembership)] = []
    for change in self {
      let isCommon = change.mode == commonModes
      if change.joins {
        let at = places.firstIndex { $0.loop == change.loop } ?? places.count
        if at == places.count {
          guard at < ModeChange.loopsAtMost else { continue }
          places.append((change.loop, ModeMembership()))
        }
        places[at].membership.add(change.mode, isCommonModes: isCommon)
      } else {
        // The event does not name the loop, so the object leaves the mode in each of them.
        for at in places.indices {
          places[at].membership.remove(
            change.mode, isCommonModes: isCommon, common: common(places[at].loop, change.time))
        }
      }
    }
    var kept: [ModeChange] = []
    for change in reversed() {
      let isInForce = places.contains { loop, membership in
        guard change.joins else { return membership.isCommonItem && membership.removed.contains(change.mode) }
        guard loop == change.loop else { return false }
        return change.mode == commonModes ? membership.isCommonItem : membership.named.contains(change.mode)
      }
      let isRepeated = kept.contains {
        $0.joins == change.joins && $0.mode == change.mode && $0.loop == change.loop
      }
      if isInForce, !isRepeated { kept.append(change) }
    }
    return kept.reversed()
  }

  /// Drops changes without effect, and old ones if most have an effect.
  mutating func compact(keeping decisive: [ModeChange]) { self = Array(decisive.suffix(ModeChange.most / 2)) }
}
