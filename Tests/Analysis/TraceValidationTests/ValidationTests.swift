import TestSupport
import Testing
import TraceFormat
import TraceValidation

/// Sequences that no run loop makes are reported, and valid ones are not.
@Suite struct ValidationTests {
  /// Returns the problems of these events, each with its time.
  private func problems(_ events: String, hasHigh: Bool = false, facts: [String] = []) throws -> [String] {
    var trace = HandTrace(main: events, hasHigh: hasHigh)
    trace.facts = facts
    let validation = try Validation(openTrace(assembleTrace(trace.text())), limit: 100)
    #expect(validation.fault == (validation.problems.isEmpty ? nil : .illegal))
    #expect(validation.omitted == 0)
    return validation.problems.map { "\($0.time ?? 0) \($0.what)" }
  }

  private static let pass = """
    10 BeforeTimers.low m1 #1
    20 BeforeSources.low m1 #1

    """

  private static let run = "0 Entry.low m1 #1\n" + pass

  @Test func validSequences() throws {
    // A poll, a wait, a nested run in another mode, a call without a run, and open callouts at the end.
    let events =
      Self.run + """
        30 BeforeTimers.low m1 #1
        40 BeforeSources.low m1 #1
        50 BeforeWaiting.low m1 #1
        60 AfterWaiting.low m1 #1
        70 timer.begin m1 #2
        80 run.begin m2 #1 timeout_ns=5 return_after_source=0
        90 Entry.low m2 #1
        100 Exit.low m2 #1
        110 run.end m2 #1 result=1
        120 run.begin m2 #1 timeout_ns=5 return_after_source=0
        130 run.end m2 #1 result=1
        140 timer.end m1 #2
        150 Exit.low m1 #1
        160 Entry.low m1 #1
        170 BeforeTimers.low m1 #1
        180 BeforeSources.low m1 #1
        190 source0.begin m1 #5
        """
    #expect(try problems(events) == [])
  }

  /// The recording began inside a run: open callouts may end, and the run continues without an Entry.
  @Test func aRecordingThatBeginsInside() throws {
    #expect(
      try problems("10 AfterWaiting.low m1 #1\n20 BeforeTimers.low m1 #1\n30 BeforeSources.low m1 #1") == [])
    #expect(try problems("10 Exit.low m1 #1") == [])
    #expect(
      try problems("5 lostEvents count=3\n10 timer.end m1 #2\n20 run.end m1 #1 result=1\n30 Exit.low m1 #1")
        == [])
    #expect(
      try problems("10 timer.end m1 #2\n20 Exit.low m1 #1\n30 Exit.low m1 #1", facts: ["begins_at=25"])
        == ["30 Exit in mode \"mode 1\" without an Entry"])
  }

  /// A program that records itself may begin in a callout and run the mode again there, before the outer run
  /// continues. No other recorder begins inside a run, and no run continues inside one that it started.
  @Test func aRunAroundTheRecording() throws {
    let around = Self.run + "30 Exit.low m1 #1\n40 BeforeTimers.low m1 #1\n50 BeforeSources.low m1 #1\n"
    #expect(try problems(around + "60 Exit.low m1 #1") == [])
    #expect(
      try problems(around, facts: ["recorder=any"]) == ["40 BeforeTimers in mode \"mode 1\" without an Entry"]
    )
    #expect(
      try problems(around + "60 Exit.low m1 #1\n70 Exit.low m1 #1")
        == ["70 Exit in mode \"mode 1\" without an Entry"])
    #expect(
      try problems("0 Entry.low m2 #1\n10 Entry.low m1 #1\n20 Exit.low m1 #1\n30 Exit.low m1 #1")
        == ["30 Exit in mode \"mode 1\" without an Entry"])
  }

  @Test(arguments: [
    ("30 timer.end m1 #2", ["30 timer.end #2 without its begin"]),
    ("30 timer.begin m1 #2\n40 timer.end m1 #3", ["40 timer.end #3 without its begin"]),
    ("30 run.end m1 #1 result=1", ["30 run.end #1 without its begin"]),
    (
      "30 source0.begin m1 #5\n40 block.begin m1 #6\n50 source0.end m1 #5",
      ["50 source0.end #5 while block.begin #6 is open"]
    ),
    (
      "30 source0.begin m1 #5\n40 Entry.low m2 #1\n50 source0.end m1 #5",
      ["50 source0.end #5 while a run in mode \"mode 2\" is open"]
    ),
    (
      "30 source0.begin m1 #5\n40 BeforeTimers.low m1 #1",
      ["40 BeforeTimers in mode \"mode 1\" while source0.begin #5 is open"]
    ),
    ("30 AfterWaiting.low m1 #1", ["30 AfterWaiting after BeforeSources"]),
    ("30 BeforeSources.low m1 #1", ["30 BeforeSources after BeforeSources"]),
    ("30 BeforeWaiting.low m1 #1\n40 Exit.low m1 #1", ["40 Exit after BeforeWaiting"]),
    ("30 Exit.low m1 #1\n40 Exit.low m1 #1", ["40 Exit in mode \"mode 1\" without an Entry"]),
    (
      "30 timer.create #7 name=99 interval_ns=1 tolerance_ns=0 due=0 site=0",
      ["30 string 99 is not in the table of strings"]
    ),
    ("30 timer.add #7 mode=77 loop=1", ["30 mode 77 is not in the table of modes"]),
  ])
  func impossibleSequences(events: String, expected: [String]) throws {
    #expect(try problems(Self.run + events, facts: ["recorder=any"]) == expected)
  }

  @Test func highStamps() throws {
    let entry = "0 Entry.low m1 #1\n1 Entry.high m1 #1\n"
    #expect(try problems(entry + "2 Exit.low m1 #1\n3 Exit.high m1 #1", hasHigh: true) == [])
    #expect(
      try problems("0 Entry.low m1 #1\n5 BeforeTimers.low m1 #1", hasHigh: true)
        == ["5 BeforeTimers before Entry's high stamp"])
    #expect(
      try problems(entry + "5 BeforeTimers.high m1 #1", hasHigh: true)
        == ["5 BeforeTimers's high stamp without its low stamp"])
    #expect(
      try problems(
        entry + "2 Exit.low m1 #1\n3 Exit.high m1 #1\n4 Exit.high m1 #1", hasHigh: true,
        facts: ["recorder=any"])
        == ["4 Exit's high stamp in mode \"mode 1\" outside any run of that mode"])
  }

  /// Nothing runs on a thread that waits. Without high stamps, an observer may still run before the wait.
  @Test func nothingBeginsInAWait() throws {
    #expect(
      try problems(
        Self.run
          + "30 BeforeWaiting.low m1 #1\n40 timer.begin m1 #2\n50 timer.end m1 #2\n60 AfterWaiting.low m1 #1"
      ) == [])
    var stamped = "0 Entry.low m1 #1\n0 Entry.high m1 #1\n"
    for (time, activity) in [(10, "BeforeTimers"), (20, "BeforeSources"), (30, "BeforeWaiting")] {
      stamped += "\(time) \(activity).low m1 #1\n\(time) \(activity).high m1 #1\n"
    }
    let run = "a run in mode \"mode 1\""
    for (events, expected) in [
      ("40 timer.begin m1 #2", ["40 timer.begin #2 while the thread waits in \(run)"]),
      ("40 Entry.low m2 #1", ["40 Entry while the thread waits in \(run)"]),
      ("40 AfterWaiting.low m1 #1\n41 AfterWaiting.high m1 #1\n42 timer.begin m1 #2", []),
    ] { #expect(try problems(stamped + events, hasHigh: true) == expected) }
  }

  @Test func aThreadThatIsNotInTheTable() throws {
    let text = HandTrace(main: Self.run).text().replacing("events thread=0", with: "events thread=9")
    let validation = try Validation(openTrace(assembleTrace(text)), limit: 100)
    #expect(validation.problems.map(\.what) == ["thread 9 is not in the table of threads"])
    #expect(validation.problems.first?.thread == 9)
  }

  /// As in the analysis: the block is damaged, not only invalid.
  @Test func timeThatGoesBackwards() throws {
    let text = HandTrace(main: Self.run).text().replacing(
      "\nend", with: "\nevents thread=0\n  5 Entry.low m1 #1\nend")
    let validation = try Validation(openTrace(assembleTrace(text)), limit: 100)
    #expect(validation.fault == .damaged)
    #expect(
      validation.problems.map(\.what) == [
        "its events are older than those before it; 79 bytes and 1 event cannot be used"
      ])
    #expect(validation.loss.events == 1)
  }

  /// Omitted problems are counted.
  @Test func theLimit() throws {
    let ends = (1...50).map { "\($0 + 100) timer.end m1 #\($0)" }.joined(separator: "\n")
    let reader = try openTrace(assembleTrace(HandTrace(main: Self.run + ends).text()))
    let validation = try Validation(reader, limit: 7)
    #expect(validation.problems.count == 7 && validation.omitted == 43 && validation.fault == .illegal)
    let none = try Validation(reader, limit: 0)
    #expect(none.problems.isEmpty && none.omitted == 50 && none.fault == .illegal)
  }

  /// Lost events excuse missing ones: an end without a begin after a damaged block is not reported.
  @Test func damageExcuses() throws {
    let section = "\nevents thread=0\n"
    let text = HandTrace(main: Self.run).text().replacing(
      "\nend", with: section + "  30 timer.begin m1 #2" + section + "  40 timer.end m1 #2\nend")
    var bytes = try assembleTrace(text)
    let block = try openTrace(bytes).blocks.filter { $0.type == .events }[1]
    bytes[Int(block.offset) + 41] ^= 1
    let validation = try Validation(openTrace(bytes), limit: 100)
    #expect(validation.fault == .damaged)
    #expect(validation.problems.map(\.offset) == [block.offset])
    #expect(validation.loss.events == 1 && validation.loss.more == 0)
  }

  /// Samples of real loops and of the model. The frozen samples were written by hand to contain every kind of event.
  @Test(arguments: SampleTraces.all.filter { !$0.hasPrefix("frozen/") }) func samplesAreSound(sample: String)
    throws
  {
    let validation = try Validation(openTrace(path: SampleTraces.path(sample)), limit: 5)
    #expect(validation.problems.map(\.what) == [], "\(sample)")
  }
}
