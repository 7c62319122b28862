import Backtraces
import CallStacks
import Foundation
import RunLoopVocabulary
import TestSupport
import Testing

/// Texts of Tests/Fixtures/Stacks: each kind as it is written by its author.
enum StackTexts {
  static let folder = "Tests/Fixtures/Stacks"

  static func bytes(_ name: String) throws -> [UInt8] { try ProjectFiles.bytes("\(folder)/\(name)") }

  static let names = files(of: folder)

  /// With those of Tests/Fixtures/ForeignStacks, by their paths in the project.
  static let paths = [folder, "Tests/Fixtures/ForeignStacks"].flatMap { folder in
    files(of: folder).map { "\(folder)/\($0)" }
  }

  private static func files(of folder: String) -> [String] {
    let path = ProjectFiles.root.appendingPathComponent(folder).path
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// What is wrong with a text, as it would be printed; nil when nothing is.
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

  /// The verdict of each thread that is judged.
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
