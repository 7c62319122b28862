import RunLoopVocabulary

extension EndResult {
  /// The end of the process as text.
  package var text: String {
    let at = timeNs.map { " at \(Units.moment($0))" } ?? ""
    return switch kind {
    case .exited: "exited with status \(status ?? 0)\(at)"
    case .signalled: "killed by \(signalText)\(at)"
    case .stopped: "ended by \(signalText), which the recorder sent or passed on,\(at)"
    case .ended: "ended\(at) in a way that is not known"
    case .executed: "still running: the process continued as another program\(at)"
    case .running: "still running: the recording ended first"
    case .unknown: "not known: nothing was recorded after\(timeNs.map { " \(Units.moment($0))" } ?? " that")"
    case .notInSpan: "not in the analyzed span"
    case .notRecorded: "not recorded"
    }
  }

  /// The signal and its meaning.
  package var signalText: String {
    let number = signal ?? 0
    let words = SignalName.words(number)
    return SignalName.name(number) + (words.isEmpty ? "" : " (\(words))")
  }

  /// Whether the callouts that ran at the end may explain it, or are not known to have continued.
  package var isWorthReporting: Bool {
    guard !callouts.isEmpty else { return false }
    return switch kind {
    case .signalled, .stopped, .ended, .unknown: true
    case .exited: status != 0
    case .executed, .running, .notInSpan, .notRecorded: false
    }
  }
}
