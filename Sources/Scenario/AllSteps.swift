extension Scenario {
  /// Every step, and those inside others.
  public var allSteps: [Step] {
    let bodies =
      timers.map(\.body) + sources.map(\.body) + observers.map(\.body) + gestures.map(\.body)
      + tasks.map(\.onExpiry) + services.flatMap { [$0.body, $0.afterFixes] } + others.map(\.body) + [body]
    return bodies.flatMap { $0.flatMap(\.withInner) }
  }
}

extension Scenario.Step {
  fileprivate var withInner: [Scenario.Step] { [self] + inner.flatMap(\.withInner) }
}
