import TraceFormat

/// Makes events that no run loop would produce, to test encoders and decoders. Each instance picks its own parameters
/// (kinds, number of objects, time between events), so that a set of values covers corner cases and ordinary traces.
package struct RandomEvents {
  private let kinds: [UInt8]
  private let objects: ClosedRange<UInt32>
  private let modes: ClosedRange<UInt8>
  private let modeChangeOneIn: UInt64
  private let deltaBits: Int
  private let arguments: Arguments
  private let start: UInt64

  private enum Arguments: CaseIterable { case none, asInTable, few, many, sometimes }

  package init(_ random: inout SeededGenerator) {
    let all = Array(UInt8.min...UInt8.max)
    let known = EventTable.definitions.map(\.kind.rawValue)
    kinds = random.pick([
      all, known, Array(20...33), Array(20...21), [3, 5, 22, 23, 7, 9, 20, 21], [random.pick(all)],
    ])
    objects = random.pick([0...0, 0...3, 0...300, 0...70_000, 0...UInt32.max])
    modes = random.pick([0...0, 1...1, 0...3, 0...255])
    modeChangeOneIn = random.pick([1, 7, 1000])
    deltaBits = random.pick([0, 4, 12, 31, 32, 45])
    arguments = random.pick(Arguments.allCases)
    // Some start near the largest time.
    start = random.pick([0, 1_000, 1 << 40, UInt64.max - (1 << 46), UInt64.max - 100])
  }

  package func make(_ count: Int, _ random: inout SeededGenerator) -> [TestEvent] {
    var time = start
    var mode = modes.lowerBound
    return (0..<count).map { _ in
      let delta =
        random.oneIn(50)
        ? RandomEvents.boundaryDelta(&random) : random.next() & ((1 << UInt64(deltaBits)) - 1)
      let (sum, overflow) = time.addingReportingOverflow(delta)
      if !overflow { time = sum }
      if random.oneIn(modeChangeOneIn) { mode = .random(in: modes, using: &random) }
      let kind = random.pick(kinds)
      return TestEvent(
        time: time, kind: kind, mode: mode, object: .random(in: objects, using: &random),
        arguments: makeArguments(kind, time, &random))
    }
  }

  /// Returns a delta close to the largest one of a column.
  private static func boundaryDelta(_ random: inout SeededGenerator) -> UInt64 {
    TraceLimits.deltaUnits &- 3 &+ random.next() % 8
  }

  private func makeArguments(_ kind: UInt8, _ time: UInt64, _ random: inout SeededGenerator) -> [UInt64] {
    let count: Int
    switch arguments {
    case .none: count = 0
    case .asInTable:
      let definition = EventTable.definition(of: EventKind(kind))
      let extra = definition?.isVariadic == true ? Int(random.next() % 40) : 0
      count = (definition?.arguments.count ?? 0) + extra
    case .few: count = Int(random.next() % 4)
    case .many: count = Int(random.next() % 256)
    case .sometimes: count = random.oneIn(10) ? Int(random.next() % 256) : 0
    }
    return (0..<count).map { _ in RandomEvents.value(near: time, &random) }
  }

  private static func value(near time: UInt64, _ random: inout SeededGenerator) -> UInt64 {
    switch random.next() % 6 {
    case 0: random.next()
    case 1: random.pick([0, 1, 2, 3, 4, UInt64.max, UInt64.max - 1, 1 << 63, (1 << 63) - 1])
    case 2: time &- random.next() % 10_000
    case 3: random.next() >> (random.next() % 64)
    default: random.next() % 100
    }
  }
}
