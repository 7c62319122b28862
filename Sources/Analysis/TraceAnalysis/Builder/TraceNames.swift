import TraceFormat
import TraceReplay
import TraceResults

/// The names in a trace, as results show them.
package struct TraceNames: Sendable {
  private let strings: [UInt32: String]
  private let modes: [UInt8: String]
  private let threads: [UInt64: String]
  /// The name of the main thread; empty = not known.
  let mainThread: String
  /// The number of names that are cut.
  let cut: Int

  package init(_ reader: TraceReader) {
    let cutStrings = reader.strings.values.count(where: ShownName.isLong)
    let cutModes = reader.modes.values.count(where: ShownName.isLong)
    cut = reader.cutNames + cutStrings + cutModes + reader.threads.values.count { ShownName.isLong($0.name) }
    // Without cut names, the dictionaries share their storage with the reader.
    strings = cutStrings > 0 ? reader.strings.mapValues(ShownName.of) : reader.strings
    modes = cutModes > 0 ? reader.modes.mapValues(ShownName.of) : reader.modes
    mainThread = reader.threads.values.first(where: \.isMain).map { ShownName.of($0.name) } ?? ""
    threads = Dictionary(
      reader.threads.values.filter { $0.osThread != 0 || $0.isMainQueue }.ordered { $0.index < $1.index }
        .map { ($0.osThread, ShownName.of($0.name)) }
    ) { first, _ in first }
  }

  /// Returns the name of an operating system thread, with 0 for the main queue without a run loop; empty if the
  /// recording does not know it.
  func ofThread(_ osThread: UInt64) -> String { threads[osThread] ?? "" }

  /// Returns the owner of a lock or queue, with only its thread known.
  func lockOwner(_ osThread: UInt64) -> LockOwner {
    with(LockOwner()) { it in
      it.osThread = osThread
      it.name = ofThread(osThread)
      it.isNamedLikeMain = !it.name.isEmpty && it.name == mainThread
    }
  }

  /// Returns nil for 0 and for ids that the trace does not define.
  package func string(_ id: StringID) -> String? { id == .none ? nil : strings[id.rawValue] }

  /// Returns the mode's name; "(outside any run)" for 0.
  package func mode(_ id: ModeID) -> String {
    id == .outside ? Phase.outside.name : modes[id.rawValue] ?? "mode \(id.rawValue)"
  }

  /// Returns the kind of a callout, by the code of its begin event; `observers` for an activity's low stamp.
  package func calloutKind(_ kind: EventKind) -> String {
    switch EventTable.role(of: kind.rawValue) {
    case .calloutBegin(let callout): callout.rawValue
    case .activity: CalloutKind.observers
    default: EventTable.definition(of: kind)?.name ?? "kind-\(kind.rawValue)"
    }
  }

  /// Returns the callout's name. For observers it is the activity; for an unnamed object it is the object's number,
  /// if one is given.
  package func callout(_ kind: EventKind, _ name: StringID, object: ObjectID? = nil) -> String {
    if case .activity(let activity, _) = EventTable.role(of: kind.rawValue) { return activity.name }
    return string(name) ?? object.map { "\(calloutKind(kind)) #\($0.rawValue)" }
      ?? "\(calloutKind(kind)) without a name"
  }

  /// Returns a queue's name, else its number.
  package func queue(_ name: StringID, object: ObjectID) -> String {
    string(name) ?? "queue #\(object.rawValue)"
  }

  /// Returns a timer's name, else its creation site, else its number if it was created before the recording.
  package func timer(name: StringID, site: StringID, createdBefore object: ObjectID) -> String {
    string(name) ?? string(site) ?? (object != .none ? "timer #\(object.rawValue)" : "timer")
  }
}
