/// The reasons why the stack of a thread could not be sampled.
package enum UnsampledReason: UInt64, Sendable, CaseIterable, Named {
  /// The program handles the signal itself.
  case signalTaken = 1
  /// The thread blocks the signal, or did not get to run.
  case signalBlocked = 2
  /// The thread sleeps, and the system hides where, for example after a change of the program's user.
  case placeHidden = 3
  /// The thread runs, and the program filters its system calls: it may be killed for those of the recorder's signal.
  case callsFiltered = 4

  package var name: String {
    switch self {
    case .signalTaken: "signal_taken"
    case .signalBlocked: "signal_blocked"
    case .placeHidden: "place_hidden"
    case .callsFiltered: "calls_filtered"
    }
  }

  package var words: String {
    switch self {
    case .signalTaken: "the program handles the signal itself; --stall-signal can name another"
    case .signalBlocked: "the thread blocks the signal (--stall-signal can name another), or had no processor"
    case .placeHidden:
      "the thread slept, and the system does not show where, as in a program that changed its user"
    case .callsFiltered: "the thread ran, and the program filters its system calls"
    }
  }
}
