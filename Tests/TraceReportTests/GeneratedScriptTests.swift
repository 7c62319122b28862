import TestSupport
import Testing
import TraceAnalysis
@testable import TraceReport

/// What the report's script is told of the vocabulary.
@Suite struct GeneratedScriptTests {
  @Test func vocabularyOfTheScript() throws {
    let script = """
      // Made by tools/generate from Sources/RunLoopVocabulary: not to be edited.
      const defaultMode = "\(ModeName.default)";
      const isTracking = (mode) => mode.includes("\(ModeName.trackingWord)");

      // By their numbers in the data.
      const phaseNames = \(Self.list(Phase.allCases.map(\.name)));
      const waiting = \(Phase.waiting.rawValue);
      const causeNames = \(Self.list(Cause.allCases.map(\.words)));
      const ownCallout = \(Cause.ownCallout.rawValue), wrongMode = \(Cause.wrongMode.rawValue), busyCause = \(Cause.busy.rawValue);
      const outcomeNames = \(Self.list(DueOutcome.allCases.map(\.name)));
      const outcomes = [...outcomeNames, "fired, due point not known"];
      /** Of a shape: from this number on it is a callout of the kind behind it. */
      const firstCallout = \(SpanMark.What.firstCallout);

      """
    try GeneratedFile.expect("Sources/TraceReport/Resources/report-vocabulary.js", is: script)
  }

  private static func list(_ names: [String]) -> String {
    "[" + names.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
  }
}
