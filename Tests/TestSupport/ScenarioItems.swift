import Scenario

extension Scenario.Timer {
  init(
    name: String, firstNs: UInt64, intervalNs: UInt64, modes: [String] = [ModeName.default],
    body: [Scenario.Step] = []
  ) {
    self.init()
    self.name = name
    self.firstNs = firstNs
    self.intervalNs = intervalNs
    self.modes = modes
    self.body = body
  }
}

extension Scenario.Observer {
  init(
    name: String, activities: [Activity], order: Int = 0, modes: [String] = [ModeName.default],
    repeats: Bool = true,
    body: [Scenario.Step] = []
  ) {
    self.init()
    self.name = name
    self.activities = activities
    self.order = order
    self.modes = modes
    self.repeats = repeats
    self.body = body
  }
}
