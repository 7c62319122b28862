import TraceFormat

/// How changes alter the events that define items and put them into modes.
enum ChangedEvents {
  /// Whether events of a kind show what the recorded program did or held at a moment, which a change may falsify.
  static func isOutdated(_ kind: EventKind, _ plan: ChangePlan) -> Bool {
    guard !plan.isNothing else { return false }
    switch kind {
    case .threadState, .threadStack, .threadUnsampled, .stack: return true
    default: return isOfSnapshot(kind)
    }
  }

  /// Whether such an event lists what a loop holds. Its mode is the listed one, not that of the run.
  static func isOfSnapshot(_ kind: EventKind) -> Bool {
    switch kind {
    case .topologyBegin, .topologyMode, .topologyItem, .topologyEnd: true
    default: false
    }
  }

  /// Returns the arguments of the events that replace this one after a change of its item, one list for each. A timer
  /// may enter or leave other modes as well.
  static func arguments(
    _ arguments: [UInt64], _ event: RecordedEvent, _ plan: ChangePlan, _ recording: Recording
  ) -> [[UInt64]] {
    guard let change = plan[event.life] else { return [arguments] }
    var arguments = arguments
    switch event.kind {
    case .timerCreate where arguments.count > EventKind.TimerCreate.toleranceNs:
      if let ns = change.intervalNs { arguments[EventKind.TimerCreate.intervalNs] = ns }
      if let ns = change.toleranceNs { arguments[EventKind.TimerCreate.toleranceNs] = ns }
    case .timerAdd, .timerRemove:
      guard !arguments.isEmpty else { break }
      if let mode = change.mode { arguments[EventRole.Membership.mode] = plan.modeID(mode, recording) }
      return [arguments] + change.otherModes.map { [plan.modeID($0, recording)] + arguments.dropFirst() }
    case .blockCreate where arguments.count > EventKind.BlockCreate.mode:
      guard let mode = change.mode else { break }
      arguments.replaceSubrange(EventKind.BlockCreate.mode..., with: [plan.modeID(mode, recording)])
    default: break
    }
    return [arguments]
  }
}
