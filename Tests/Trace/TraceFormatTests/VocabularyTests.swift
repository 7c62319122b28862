import RunLoopVocabulary
import Testing

/// Properties of the vocabulary that storage and documentation rely on.
@Suite struct VocabularyTests {
  /// Vectors are indexed by raw value. They have no room for a ninth phase or cause.
  @Test func phasesAndCausesFitTheirVectors() {
    #expect(Phase.allCases.map(\.rawValue) == Array(0..<Phase.allCases.count))
    #expect(Phase.allCases.count <= PhaseTimes.scalarCount)
    #expect(Cause.allCases.map(\.rawValue) == Array(0..<Cause.allCases.count))
    #expect(Cause.allCases.count <= CauseAmounts.scalarCount)
  }

  @Test func eachActivityBeginsAPhase() {
    #expect(Phase.allCases.compactMap(\.activity) == Activity.allCases)
    #expect(Set(Phase.allCases.map(\.name)).count == Phase.allCases.count)
  }

  @Test func namesLeadBack() {
    for activity in Activity.allCases { #expect(Activity(name: activity.name) == activity) }
    for phase in LifePhase.allCases { #expect(LifePhase(name: phase.name) == phase) }
    #expect(Activity(name: "waiting") == nil && LifePhase(name: "") == nil)
  }

  @Test func trackingModes() {
    for name in [ModeName.tracking, "NSEventTrackingRunLoopMode", "mode 3 (Tracking)"] {
      #expect(ModeName.isTracking(name), "\(name)")
    }
    for name in [ModeName.default, ModeName.common, "tracking", "", "Track"] {
      #expect(!ModeName.isTracking(name), "\(name)")
    }
  }

  @Test func hangClassesGrow() {
    let limits = BusyClass.allCases.map(\.fromNs)
    #expect(limits == limits.sorted() && Set(limits).count == limits.count)
    for found in BusyClass.allCases {
      #expect(BusyClass(ns: found.fromNs) == found && BusyClass(ns: found.fromNs - 1) != found)
    }
  }
}
