// All of Swift Testing's API that budgets use is in this file.
#if canImport(Testing)
import Foundation
import RunLoopTrace
import SystemSupport
import Testing

/// A trait that gives a test, or each test of a suite, rules for its run loop.
///
/// ```swift
/// @Test(.runLoop("max(busy) < 100ms"))
/// func scrolls() async {
///   await onRunLoop { RunLoop.current.run(until: Date(timeIntervalSinceNow: 1)) }
/// }
/// ```
public struct RunLoopTrait: TestTrait, SuiteTrait, TestScoping {
  fileprivate let rules: [String]
  /// Whether the suite that has the trait is serialized. Its tests have the same trait, but not the other traits of the
  /// suite.
  fileprivate let isOfSerializedSuite = Locked(false)

  /// A suite gives its rules to its tests.
  public var isRecursive: Bool { true }

  /// Notes whether the suite is serialized.
  public func prepare(for test: Test) async throws {
    if test.isSuite, TestBudget.isSerialized(test) { isOfSerializedSuite.withLock { $0 = true } }
  }

  /// Runs a test with the rules of its suites and its own. Records an issue if the test ran no loop.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // A test has the rules of its suites and its own.
    let outer = TestBudget.current
    let budget = TestBudget(
      test, outer.map { $0.rules + rules } ?? rules,
      isSerialized: outer?.isSerialized == true || isOfSerializedSuite.withLock { $0 }
        || TestBudget.isSerialized(test))
    try await TestBudget.$current.withValue(budget) { try await function() }
    if budget.hasRun { outer?.noteRun() }
    if outer == nil, !budget.hasRun {
      budget.fail(["undecided: no run loop ran in this test: it did not call onRunLoop"])
    }
  }
}

extension Trait where Self == RunLoopTrait {
  /// Rules for the run loop of a test, in the language of `rltrace gate`; without rules, its default budget applies. The
  /// test runs its loop in `onRunLoop`.
  public static func runLoop(_ rules: String...) -> RunLoopTrait { RunLoopTrait(rules: rules) }
}

/// The loop on which `onRunLoop` runs its body.
public enum TestLoop: Sendable {
  /// A loop of its own, on a thread of its own.
  case own
  /// The main loop. Tests share it, so their suite needs the traits `.serialized` and `.runLoop`.
  case main
}

/// Runs `body` on a thread with a run loop of its own, waits for it, and judges its loop by the rules of the trait
/// `.runLoop`. A rule that does not hold, or cannot be decided, fails the test and attaches the trace.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
public func onRunLoop<Value: Sendable, Failure: Error>(
  _ loop: TestLoop = .own, _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  try await onRunLoop(loop) { (_: RunLoopTracer?) throws(Failure) in try body() }
}

/// Does the same for a body that makes timers, sources and blocks with names, through the tracer. Rules may then name
/// them: `skipped(timer=refresh) == 0`. The tracer is nil if the program cannot be recorded; the test then fails.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
public func onRunLoop<Value: Sendable, Failure: Error>(
  _ loop: TestLoop = .own, _ body: @escaping @Sendable (RunLoopTracer?) throws(Failure) -> Value
) async throws(Failure) -> Value {
  let budget = TestBudget.current
  if budget == nil {
    Issue.record("undecided: onRunLoop has no rules to judge by; give the test the trait .runLoop")
  }
  budget?.noteRun()
  let measured: @Sendable () -> (Result<Value, Failure>, BudgetVerdict) = {
    measure(budget, loop, body)
  }
  let result: Result<Value, Failure>
  let verdict: BudgetVerdict
  switch loop {
  case .main:
    (result, verdict) = await MainActor.run(body: measured)
  case .own:
    let thread = LoopThread()
    do throws(NativeThread.Failure) {
      try thread.start()
      (result, verdict) = await LoopActor(thread).run(measured)
      thread.end()
    } catch {
      result = Result { () throws(Failure) in try body(nil) }
      verdict = BudgetVerdict(failures: ["undecided: the system could not create a thread for the loop"])
    }
  }
  // Inside the test's own code, so that withKnownIssue applies.
  budget?.report(verdict)
  return try result.get()
}

/// Runs a body between the start and the end of a measured run.
private func measure<Value, Failure: Error>(
  _ budget: TestBudget?, _ loop: TestLoop, _ body: (RunLoopTracer?) throws(Failure) -> Value
) -> (Result<Value, Failure>, BudgetVerdict) {
  func run(_ tracer: RunLoopTracer?) -> Result<Value, Failure> {
    Result { () throws(Failure) in try body(tracer) }
  }
  guard let budget else { return (run(nil), BudgetVerdict(failures: [])) }
  if loop == .main {
    if !budget.isSerialized {
      return (
        run(nil),
        BudgetVerdict(failures: [
          "undecided: tests share the main loop; use @Suite(.serialized, .runLoop()) for those that need it"
        ])
      )
    }
    if !Thread.isMainThread {
      return (
        run(nil),
        BudgetVerdict(failures: [
          "undecided: this test runner does not run the main loop; use onRunLoop without .main, or XCTest"
        ])
      )
    }
  }
  let measured: BudgetRun
  do throws(RecordingError) {
    measured = try BudgetRun(budget.name, budget.parsed)
  } catch {
    return (run(nil), BudgetVerdict(failures: ["undecided: \(error)"]))
  }
  let result = run(measured.tracer)
  return (result, measured.end())
}

/// The rules of a running test.
private final class TestBudget: Sendable {
  @TaskLocal static var current: TestBudget?

  let rules: [String]
  let parsed: BudgetRules
  private let test: Test
  let isSerialized: Bool
  private let hasRunState = Locked(false)

  init(_ test: Test, _ rules: [String], isSerialized: Bool) {
    self.test = test
    self.rules = rules
    self.isSerialized = isSerialized
    parsed = BudgetRules(rules)
  }

  var name: String { test.name }
  static func isSerialized(_ test: Test) -> Bool { test.traits.contains { $0 is ParallelizationTrait } }
  var hasRun: Bool { hasRunState.withLock { $0 } }
  func noteRun() { hasRunState.withLock { $0 = true } }

  func report(_ verdict: BudgetVerdict) {
    let failures = parsed.mistakes + verdict.failures
    guard !failures.isEmpty else { return }
    guard !verdict.trace.isEmpty else { return fail(failures) }
    let file = TraceFile.name(name)
    Attachment.record(verdict.trace, named: file, sourceLocation: test.sourceLocation)
    fail(failures + ["trace: the attachment \(file) — rltrace report '\(file)'"])
  }

  func fail(_ lines: [String]) {
    Issue.record(Comment(rawValue: lines.joined(separator: "\n")), sourceLocation: test.sourceLocation)
  }
}
#endif
