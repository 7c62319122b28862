import TraceFormat
import TraceReplay

/// The names of what a trace holds by number.
public struct TraceNames: Sendable {
  private let strings: [UInt32: String]
  private let modes: [UInt8: String]

  public init(_ reader: TraceReader) {
    strings = reader.strings
    modes = reader.modes
  }

  /// Nil for 0 and for ids that the trace does not define.
  public func string(_ id: UInt32) -> String? { id == 0 ? nil : strings[id] }

  /// Of 0, "(outside any run)".
  public func mode(_ id: UInt8) -> String { id == 0 ? Phase.outside.name : modes[id] ?? "mode \(id)" }

  /// The kind of a callout, by the code of its begin event; of an activity's low stamp, `observers`.
  public func calloutKind(_ kind: UInt8) -> String {
    switch EventTable.role(of: kind) {
    case .calloutBegin(let callout): callout.rawValue
    case .activity: CalloutKind.observers
    default: EventTable.definition(of: EventKind(kind))?.name ?? "kind-\(kind)"
    }
  }

  /// Of observers, the activity; of an object without a name, its number where that says something.
  public func callout(_ kind: UInt8, _ name: UInt32, object: UInt32? = nil) -> String {
    if case .activity(let activity, _) = EventTable.role(of: kind) { return activity.name }
    return string(name) ?? object.map { "\(calloutKind(kind)) #\($0)" }
      ?? "\(calloutKind(kind)) without a name"
  }

  /// A timer's name: its own, else where it was created, else its number when it was created before the recording.
  public func timer(name: UInt32, site: UInt32, createdBefore object: UInt32) -> String {
    string(name) ?? string(site) ?? (object != 0 ? "timer #\(object)" : "timer")
  }
}

/// The same, of what replay found.
extension TraceNames {
  func string(_ id: StringID) -> String? { string(id.rawValue) }
  func mode(_ id: ModeID) -> String { mode(id.rawValue) }
  func calloutKind(_ kind: EventKind) -> String { calloutKind(kind.rawValue) }
  func callout(_ kind: EventKind, _ name: StringID, object: ObjectID? = nil) -> String {
    callout(kind.rawValue, name.rawValue, object: object?.rawValue)
  }
  func timer(name: StringID, site: StringID, createdBefore object: ObjectID) -> String {
    timer(name: name.rawValue, site: site.rawValue, createdBefore: object.rawValue)
  }
}
