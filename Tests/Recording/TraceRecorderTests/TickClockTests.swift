import TestSupport
import Testing
import TraceFormat

@testable import TraceRecorder

@Suite struct TickClockTests {
  private func reading(_ ticks: UInt64, _ ns: UInt64) -> ClockReading {
    ClockReading(ticks: ticks, monotonicNs: ns, boottimeNs: ns, realtimeNs: ns)
  }

  /// With nanoseconds as ticks, units are the floor of the division, for any uptime of a machine.
  @Test(arguments: TimeUnit.allCases)
  func monotonicTicksAreExact(unit: TimeUnit) {
    var random = SeededGenerator(named: "monotonicTicksAreExact")
    let origin = random.next() >> 2
    let clock = TickClock(
      origin: reading(origin, origin), later: reading(origin + 50_000_000, origin + 50_000_000),
      usesCycles: false, unit: unit)
    for _ in 0..<10_000 {
      let elapsed = random.next() >> (2 + random.next() % 60)
      #expect(clock.units(ticks: origin + elapsed) == elapsed / unit.nanoseconds, "\(TestSeed.note)")
    }
    #expect(clock.units(ticks: origin &- 1) == 0)
  }

  /// With a straight clock line, whole seconds at the calibrated rate are whole seconds in units.
  @Test(arguments: [1e6, 24e6, 2.5e9, 4.7e9], TimeUnit.allCases)
  func cyclesFollowTheCalibratedLine(hertz: Double, unit: TimeUnit) {
    let ticks = UInt64(hertz / 20)
    let clock = TickClock(
      origin: reading(5, 1000), later: reading(5 + ticks, 1000 + 50_000_000), usesCycles: true, unit: unit)
    for seconds in [1.0, 60, 3600, 86_400] {
      let units = Double(clock.units(ticks: 5 + UInt64(hertz * seconds)))
      let expected = seconds * 1e9 / Double(unit.nanoseconds)
      #expect(abs(units - expected) <= 1 + expected * 1e-12)
    }
  }

  /// The distance of a due point from its event comes from the monotonic clock, so a drift of the line cancels out.
  @Test func duePointsHaveNoDrift() {
    let clock = TickClock(
      origin: reading(0, 0), later: reading(125_000_000, 50_000_000), usesCycles: true, unit: .ns10)
    // An hour later the counter is 1 ms ahead of the line.
    let hour: UInt64 = 3_600_000_000_000
    let near = reading(UInt64(Double(hour + 1_000_000) * 2.5), hour)
    let event = near.ticks + 2_500
    let due = clock.units(monotonicNs: hour + 1000 - 700, eventTicks: event, near: near)
    #expect(clock.units(ticks: event) - due == 70)
  }
}
