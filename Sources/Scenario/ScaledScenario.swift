extension Scenario {
  /// All times `factor` times as long, work included.
  public func scaled(by factor: Double) -> Scenario {
    guard factor != 1 else { return self }
    func scale(_ ns: UInt64) -> UInt64 { Scenario.scale(ns, factor) }
    func steps(_ body: [Step]) -> [Step] { body.map { $0.scaled(by: factor) } }
    var scaled = self
    for i in timers.indices {
      scaled.timers[i].firstNs = scale(timers[i].firstNs)
      scaled.timers[i].intervalNs = scale(timers[i].intervalNs)
      scaled.timers[i].toleranceNs = scale(timers[i].toleranceNs)
      scaled.timers[i].body = steps(timers[i].body)
    }
    for i in sources.indices { scaled.sources[i].body = steps(sources[i].body) }
    for i in observers.indices { scaled.observers[i].body = steps(observers[i].body) }
    for i in gestures.indices {
      scaled.gestures[i].atNs = scale(gestures[i].atNs)
      scaled.gestures[i].forNs = scale(gestures[i].forNs)
      scaled.gestures[i].everyNs = scale(gestures[i].everyNs)
      scaled.gestures[i].body = steps(gestures[i].body)
    }
    for i in tasks.indices {
      scaled.tasks[i].budgetNs = scale(tasks[i].budgetNs)
      scaled.tasks[i].onExpiry = steps(tasks[i].onExpiry)
    }
    for i in services.indices {
      scaled.services[i].everyNs = scale(services[i].everyNs)
      scaled.services[i].body = steps(services[i].body)
      scaled.services[i].afterFixes = steps(services[i].afterFixes)
    }
    for i in others.indices {
      scaled.others[i].atNs = scale(others[i].atNs)
      scaled.others[i].everyNs = scale(others[i].everyNs)
      scaled.others[i].untilNs = scale(others[i].untilNs)
      scaled.others[i].body = steps(others[i].body)
    }
    scaled.body = steps(body)
    return scaled
  }

  static func scale(_ ns: UInt64, _ factor: Double) -> UInt64 {
    UInt64(min(Double(ns) * factor, 1e18).rounded())
  }

  /// How long the loop's thread needs at least: what it runs and spends itself.
  public var expectedNs: UInt64 { body.reduce(0) { $0 + $1.spentNs } }
}
