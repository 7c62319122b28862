import Scenario

/// Reduces a scenario while it keeps a property.
enum Shrinker {
  private static let secondsAtMost = 20

  /// Removes parts one at a time as long as `isWanted` holds.
  static func smallest(_ scenario: Scenario, _ isWanted: (Scenario) -> Bool) -> Scenario {
    var small = scenario
    var isSmaller = true
    // Large scenarios take long to compare, so the time is limited.
    let end = ContinuousClock.now + .seconds(secondsAtMost)
    while isSmaller {
      isSmaller = false
      for candidate in smaller(small) where ContinuousClock.now < end && isWanted(candidate) {
        small = candidate
        isSmaller = true
        break
      }
    }
    return small
  }

  private static func smaller(_ scenario: Scenario) -> [Scenario] {
    func each<Value>(_ path: WritableKeyPath<Scenario, [Value]>, _ change: (Value) -> [Value]) -> [Scenario] {
      scenario[keyPath: path].indices.flatMap { i in
        change(scenario[keyPath: path][i]).map { value in
          var copy = scenario
          copy[keyPath: path][i] = value
          return copy
        }
      }
    }
    func without<Value>(_ path: WritableKeyPath<Scenario, [Value]>) -> [Scenario] {
      scenario[keyPath: path].indices.map { i in
        var copy = scenario
        copy[keyPath: path].remove(at: i)
        return copy
      }
    }
    func changing<Value>(_ value: Value, _ path: WritableKeyPath<Value, [Scenario.Step]>) -> [Value] {
      smaller(value[keyPath: path]).map { steps in
        var copy = value
        copy[keyPath: path] = steps
        return copy
      }
    }
    return without(\.timers) + without(\.sources) + without(\.observers) + without(\.others)
      + without(\.commonModes)
      + smaller(scenario.body).map { body in
        var copy = scenario
        copy.body = body
        return copy
      }
      + each(\.timers) { changing($0, \.body) } + each(\.sources) { changing($0, \.body) }
      + each(\.observers) { changing($0, \.body) } + each(\.others) { changing($0, \.body) }
  }

  private static func smaller(_ steps: [Scenario.Step]) -> [[Scenario.Step]] {
    steps.indices.flatMap { i -> [[Scenario.Step]] in
      var without = steps
      without.remove(at: i)
      let inner: [Scenario.Step] =
        switch steps[i] {
        case .perform(let modes, let body): smaller(body).map { .perform(modes: modes, body: $0) }
        case .main(let body): smaller(body).map { .main($0) }
        default: []
        }
      return [without]
        + inner.map { step in
          var copy = steps
          copy[i] = step
          return copy
        }
    }
  }
}
