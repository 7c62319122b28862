import TestSupport
import Testing
import TraceAnalysis
@testable import TraceReport

/// The generated vocabulary of the report's script, and the generated types of its data.
@Suite struct GeneratedScriptTests {
  @Test func vocabularyOfTheScript() throws {
    let script = """
      // @ts-check
      // Made by tools/generate from Sources/RunLoopVocabulary: not to be edited.
      export const defaultMode = "\(ModeName.default)";
      export const isTracking = (/** @type {string} */ mode) => mode.includes("\(ModeName.trackingWord)");

      // Indexed by their numbers in the data.
      export const phaseNames = \(Self.list(Phase.allCases.map(\.name)));
      export const waiting = \(Phase.waiting.rawValue);
      export const causeNames = \(Self.list(Cause.allCases.map { $0.name.split(separator: "_").joined(separator: " ") }));
      export const ownCallout = \(Cause.ownCallout.rawValue);
      export const wrongMode = \(Cause.wrongMode.rawValue);
      export const busyCause = \(Cause.busy.rawValue);
      /** @type {(\(DueOutcome.allCases.map { "\"\($0.name)\"" }.joined(separator: " | ")))[]} */
      export const outcomeNames = \(Self.list(DueOutcome.allCases.map(\.name)));
      export const outcomes = [...outcomeNames, "fired, due point not known"];
      /** A shape with at least this number is a callout. Its kind is the difference. */
      export const firstCallout = \(SpanMark.What.firstCallout);

      """
    try GeneratedFile.expect("Sources/TraceReport/Resources/report-vocabulary.js", is: script)
  }

  @Test func dataOfThePage() throws {
    let types = TypeScriptTypes()
    try types.describe(PageData.self)
    let declarations = """
      // Made by tools/generate from Sources/TraceReport/HTML/Data: not to be edited.
      \(types.text)
      export type ThreadColumn = \(Self.union(ThreadColumn.self));
      export type TimerColumn = \(Self.union(TimerColumn.self));

      """
    try GeneratedFile.expect("Sources/TraceReport/Resources/page-data.d.ts", is: declarations)
  }

  /// Returns the names of columns as a type. `phase…` is `phase${number}`.
  private static func union<Column: BinColumn>(_ columns: Column.Type) -> String {
    columns.allCases.map {
      $0.rawValue.hasSuffix("…") ? "`\($0.rawValue.dropLast())${number}`" : "\"\($0.rawValue)\""
    }.joined(separator: " | ")
  }

  private static func list(_ names: [String]) -> String {
    "[" + names.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
  }
}
