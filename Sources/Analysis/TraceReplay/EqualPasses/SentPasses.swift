import TraceFacts

/// The facts of the passes that a sink receives.
struct SentPasses: ~Copyable {
  /// The steps of each pass, the same for passes of one shape.
  private(set) var steps: [EqualPassFacts.Step] = []
  private(set) var callouts: UInt32 = 0
  private(set) var timers: UInt32 = 0
  private var shape = PassShape()
  private var place = 0
  private(set) var called = Rows<EqualPassFacts.Called>()
  private(set) var fires = Rows<EqualPassFacts.Fire>()

  /// Prepares for passes of a shape, up to the event at `place`.
  mutating func take(_ shape: PassShape, until place: Int) {
    guard place != self.place || !shape.isSame(as: self.shape) else { return }
    if called.isMissing {
      called = Rows(capacity: EqualPasses.most * PassShape.mostCallouts)
      fires = Rows(capacity: EqualPasses.most * PassShape.mostCallouts)
    }
    (self.shape, self.place) = (shape, place)
    steps = shape.steps.filter { $0.end < place }
    let before: UInt32 = (1 &<< UInt32(truncatingIfNeeded: place)) &- 1
    (callouts, timers) = (shape.callouts & before, shape.timers & before)
  }
}

extension PassShape {
  /// The steps of each pass, in the order of the events with which they end.
  fileprivate var steps: [EqualPassFacts.Step] {
    let (last, lastPhase): (Int, Phase) =
      waits ? (afterWaiting, .afterWaiting) : (beforeSources, .beforeSources)
    var steps = [
      EqualPassFacts.Step(.phase(lastPhase), start: last &- count, end: 0),
      EqualPassFacts.Step(.pass, start: -count, end: 0),
    ]
    func phase(_ phase: Phase, _ start: Int, _ end: Int) {
      steps.append(EqualPassFacts.Step(.phase(phase), start: start, end: end))
    }
    phase(.beforeTimers, 0, beforeSources)
    var (isWaiting, number, fires) = (waits, 0, 0)
    var rest = callouts
    while true {
      let place = rest.trailingZeroBitCount
      if isWaiting, place > beforeWaiting {
        isWaiting = false
        phase(.beforeSources, beforeSources, beforeWaiting)
        phase(.beforeWaiting, beforeWaiting, afterWaiting &- 1)
        phase(.waiting, afterWaiting &- 1, afterWaiting)
      }
      guard rest != 0 else { return steps }
      if isTimer(place) {
        steps.append(EqualPassFacts.Step(.fire(number: fires), start: place, end: place))
        fires &+= 1
      }
      let kind = kind(place).rawValue
      steps.append(
        EqualPassFacts.Step(.callout(kind: kind, number: number), start: place, end: place &+ 1))
      number &+= 1
      rest &= rest &- 1
    }
  }
}
