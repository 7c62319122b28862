import CRLTraceShims
import Testing
import TraceFormat

/// The event table is the one place that says what an event is; what repeats it must agree.
@Suite struct EventTableTests {
  @Test func codesAndNamesAreUnique() {
    let rows = EventTable.definitions
    #expect(Set(rows.map(\.kind)).count == rows.count)
    #expect(Set(rows.map(\.name)).count == rows.count)
    #expect(rows.map(\.kind) == rows.map(\.kind).sorted())
    for row in rows {
      #expect(EventTable.definition(of: row.kind)?.name == row.name)
      #expect(EventTable.definition(named: row.name)?.kind == row.kind)
      #expect(!row.isVariadic || !row.arguments.isEmpty)
      #expect(Set(row.arguments.map(\.name)).count == row.arguments.count)
    }
    #expect(
      EventTable.definition(of: EventKind(0)) == nil && EventTable.definition(of: EventKind(255)) == nil)
  }

  /// Names are words of the text form.
  @Test func namesAreWords() {
    for row in EventTable.definitions {
      #expect(row.name.wholeMatch(of: /[A-Za-z][A-Za-z0-9]*(\.[A-Za-z]+)?/) != nil, "\(row.name)")
      for argument in row.arguments {
        #expect(argument.name.wholeMatch(of: /[a-z][a-z_]*/) != nil, "\(argument.name)")
        #expect(
          (argument.unit == .nanoseconds) == argument.name.hasSuffix("_ns"), "\(row.name) \(argument.name)")
      }
    }
  }

  @Test func calloutsComeInPairs() {
    for code in UInt8.min...UInt8.max {
      let name = EventTable.definition(of: EventKind(code))?.name ?? ""
      let isCallout = (20...33).contains(code)
      #expect(EventTable.isCalloutBegin(code) == (isCallout && name.hasSuffix(".begin")))
      #expect(EventTable.isCalloutEnd(code) == (isCallout && name.hasSuffix(".end")))
      guard EventTable.isCalloutEnd(code) else {
        #expect(EventTable.begin(ofEnd: EventKind(code)) == nil)
        continue
      }
      let begin = EventTable.begin(ofEnd: EventKind(code)).flatMap(EventTable.definition(of:))
      #expect(begin?.name == name.replacing(".end", with: ".begin"))
      #expect(begin?.object == EventTable.definition(of: EventKind(code))?.object)
    }
  }

  /// The constants that C code emits.
  @Test func constantsOfC() {
    let pairs: [(Int, EventKind, EventKind?)] = [
      (Int(RLT_KIND_ENTRY_LOW), .entryLow, .entryHigh),
      (Int(RLT_KIND_BEFORE_TIMERS_LOW), .beforeTimersLow, .beforeTimersHigh),
      (Int(RLT_KIND_BEFORE_SOURCES_LOW), .beforeSourcesLow, .beforeSourcesHigh),
      (Int(RLT_KIND_BEFORE_WAITING_LOW), .beforeWaitingLow, .beforeWaitingHigh),
      (Int(RLT_KIND_AFTER_WAITING_LOW), .afterWaitingLow, .afterWaitingHigh),
      (Int(RLT_KIND_EXIT_LOW), .exitLow, .exitHigh),
      (Int(RLT_KIND_RUN_BEGIN), .runBegin, .runEnd), (Int(RLT_KIND_RUN_END), .runEnd, nil),
      (Int(RLT_KIND_TIMER_BEGIN), .timerBegin, .timerEnd),
      (Int(RLT_KIND_SOURCE0_BEGIN), .source0Begin, .source0End),
      (Int(RLT_KIND_SOURCE1_BEGIN), .source1Begin, .source1End),
      (Int(RLT_KIND_BLOCK_BEGIN), .blockBegin, .blockEnd),
      (Int(RLT_KIND_MAIN_QUEUE_DRAIN_BEGIN), .mainQueueDrainBegin, .mainQueueDrainEnd),
      (Int(RLT_KIND_MAIN_QUEUE_BLOCK_BEGIN), .mainQueueBlockBegin, .mainQueueBlockEnd),
      (Int(RLT_KIND_TIMER_CREATE), .timerCreate, nil), (Int(RLT_KIND_TIMER_ADD), .timerAdd, nil),
      (Int(RLT_KIND_TIMER_REMOVE), .timerRemove, nil),
      (Int(RLT_KIND_TIMER_INVALIDATE), .timerInvalidate, nil),
      (Int(RLT_KIND_TIMER_RESCHEDULE), .timerReschedule, nil), (Int(RLT_KIND_TIMER_DUE), .timerDue, nil),
      (Int(RLT_KIND_SOURCE_CREATE), .sourceCreate, nil), (Int(RLT_KIND_SOURCE_ADD), .sourceAdd, nil),
      (Int(RLT_KIND_SOURCE_REMOVE), .sourceRemove, nil), (Int(RLT_KIND_SOURCE_SIGNAL), .sourceSignal, nil),
      (Int(RLT_KIND_SOURCE_INVALIDATE), .sourceInvalidate, nil),
      (Int(RLT_KIND_BLOCK_CREATE), .blockCreate, nil),
      (Int(RLT_KIND_LOOP_CREATE), .loopCreate, nil),
      (Int(RLT_KIND_LOOP_ADD_COMMON_MODE), .loopAddCommonMode, nil),
      (Int(RLT_KIND_LOOP_WAKE_UP), .loopWakeUp, nil), (Int(RLT_KIND_LOOP_STOP), .loopStop, nil),
      (Int(RLT_KIND_MARK), .mark, nil), (Int(RLT_KIND_LOST_EVENTS), .lostEvents, nil),
    ]
    for (constant, low, high) in pairs {
      #expect(constant == Int(low.rawValue))
      if let high { #expect(constant + 1 == Int(high.rawValue)) }
    }
  }

  @Test func objectIDs() {
    let id = ObjectID.make(slot: 0xABCDE, generation: 0xFFF)
    #expect(id == 0xFFFA_BCDE && ObjectID.slot(id) == 0xABCDE && ObjectID.generation(id) == 0xFFF)
    #expect(ObjectID.make(slot: 1 << 20, generation: 0) == 0)
  }
}
