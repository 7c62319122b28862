import RunLoopModel
import TraceFormat

/// Moments at which arrivals and due points took effect, where these differ from the recorded times.
///
/// A thread records a call before it makes it, and a timer of the system expires late. If two things happen
/// within such a time, the recording does not show which one the loop noticed first; its next step does.
struct Shifts: Equatable {
  /// By the place in `Arrivals.stimuli`: the moment of the effect, in time units.
  var arrivals: [Int: UInt64] = [:]
  /// By the life of a timer and its due point: the moment at which the loop noticed it, on the clock of the replay.
  var dues: [Int32: [UInt64: UInt64]] = [:]

  var count: Int { arrivals.count + dues.values.reduce(0) { $0 + $1.count } }

  /// The longest time between the recorded and the effective moment, in nanoseconds.
  static let longestNs: UInt64 = 2_000_000
}

extension Arrivals {
  /// The arrivals in the order of their effects. Effects of one thread keep their order.
  func stimuli(_ shifts: Shifts) -> [(time: UInt64, stimulus: Stimulus, number: Int)] {
    var moved = stimuli.enumerated().map { (time: $1.time, stimulus: $1.stimulus, number: $0) }
    guard !shifts.arrivals.isEmpty else { return moved }
    for (number, time) in shifts.arrivals.ordered(by: { $0.key < $1.key }) {
      guard stimuli.indices.contains(number) else { continue }
      let isLater = time > moved[number].time
      moved[number].time = time
      guard case .event(let place, _) = stimuli[number].stimulus else { continue }
      var at = number
      while true {
        at += isLater ? 1 : -1
        guard moved.indices.contains(at), isLater ? moved[at].time < time : moved[at].time > time else {
          break
        }
        if case .event(place, _) = moved[at].stimulus { moved[at].time = time }
      }
    }
    return moved.ordered { ($0.time, $0.number) < ($1.time, $1.number) }
  }
}

extension LoopReplay {
  /// Returns the shifts that may have caused the difference between an event of the replay and the recorded one, the
  /// most likely first.
  func shifts(explaining event: ReplayedEvent, _ expected: RecordedEvent) -> [Shifts] {
    var found: [Shifts] = []
    let before = followed > 0 ? events[followed - 1].time : 0
    // The step of the replay came later in the program.
    if let item = event.life >= 0 ? items[Int(event.life)] : nil {
      let later = max(expected.time, before) + 1
      if let timer = item.model as? ModelTimer, event.kind == .timerDue {
        found.append(shifted(item.life, timer.due, to: ns(later)))
        found.append(shifted(item.life, timer.due, to: max(timer.due, lastWakeNs + 1)))
      } else if let number = item.stimulus, event.kind.isCalloutBegin {
        found.append(shifted(number, to: later))
      }
    } else if event.kind == .mainQueueDrainBegin, let number = mainQueueStimulus {
      found.append(shifted(number, to: max(expected.time, before) + 1))
    }
    // The step of the program comes later in the replay.
    if expected.kind == .timerDue, let item = expected.life >= 0 ? items[Int(expected.life)] : nil,
      let timer = item.model as? ModelTimer
    {
      found.append(shifted(item.life, timer.due, to: min(timer.due, lastWakeNs - 1)))
      found.append(shifted(item.life, timer.due, to: min(timer.due, ns(before))))
    } else if expected.kind.isCalloutBegin, expected.life >= 0,
      let number = stimuli.first(where: { $0.time >= before && concerns($0.stimulus, expected.life) })?.number
    {
      found.append(shifted(number, to: before))
    }
    let longest = Shifts.longestNs
    return found.filter { shift in
      shift.count > 0
        && shift.arrivals.allSatisfy {
          Self.distance(ns(arrivals.stimuli[$0.key].time), ns($0.value)) <= longest
        }
        && shift.dues.values.allSatisfy { $0.allSatisfy { Self.distance($0.key, $0.value) <= longest } }
    }
  }

  private func shifted(_ number: Int, to time: UInt64) -> Shifts {
    var shifts = self.shifts
    shifts.arrivals[number] = time
    return shifts == self.shifts ? Shifts() : shifts
  }

  private func shifted(_ timer: Int32, _ dueNs: UInt64, to ns: UInt64) -> Shifts {
    var shifts = self.shifts
    shifts.dues[timer, default: [:]][dueNs] = ns
    return shifts == self.shifts ? Shifts() : shifts
  }

  private func concerns(_ stimulus: Arrivals.Stimulus, _ life: Int32) -> Bool {
    guard case .event(let place, let at) = stimulus else { return false }
    let event = recording.threads[Int(place)].events[Int(at)]
    return event.life == life && [.sourceSignal, .blockCreate].contains(event.kind)
  }

  private static func distance(_ a: UInt64, _ b: UInt64) -> UInt64 { a > b ? a - b : b - a }
}

extension EventKind {
  var isCalloutBegin: Bool {
    if case .calloutBegin? = EventTable.role(of: rawValue) { true } else { false }
  }
}
