import Backtraces
import CallStacks
import Foundation
import RunLoopVocabulary
import TestSupport
import Testing

/// The texts of Tests/Fixtures/Stacks, each in the form of its author.
enum StackTexts {
  static let folder = "Tests/Fixtures/Stacks"

  static func bytes(_ name: String) throws -> [UInt8] { try ProjectFiles.bytes("\(folder)/\(name)") }

  static let names = files(of: folder)

  /// The paths in the project of these texts and of those in Tests/Fixtures/ForeignStacks.
  static let paths = [folder, "Tests/Fixtures/ForeignStacks"].flatMap { folder in
    files(of: folder).map { "\(folder)/\($0)" }
  }

  private static func files(of folder: String) -> [String] {
    let path = ProjectFiles.root.appendingPathComponent(folder).path
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// Returns the error message for a text; nil when it has no error.
  static func mistake(_ text: String) -> String? {
    do throws(BacktraceError) {
      let trace = try BacktraceReader.read(Array(text.utf8))
      var unfolded = 0
      for thread in trace.threads { _ = try thread.stacks(&unfolded) }
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Returns the verdict on each judged thread.
  static func verdicts(_ bytes: [UInt8], _ choice: Backtrace.Choice = .usual) throws -> [StackVerdict] {
    let trace = try BacktraceReader.read(bytes)
    var judge = StackJudge(
      images: AppImages(main: trace.mainImage ?? trace.program), rules: try CauseRules.builtIn())
    return try trace.threads(choice).map { judge.verdict(of: try $0.stacks()) }
  }
}

extension BacktraceThread {
  func stacks() throws(BacktraceError) -> [CallStack] {
    var unfolded = 0
    return try stacks(&unfolded)
  }
}
