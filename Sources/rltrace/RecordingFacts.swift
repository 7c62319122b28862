import Foundation
import Symbolication
import TraceFormat
import TraceRecorder

/// What a trace says about where it comes from.
enum RecordingFacts {
  /// Of any recording made here.
  static var entries: [InfoEntry] {
    [
      InfoEntry(key: InfoEntry.recorder, value: rltraceVersion),
      InfoEntry(key: "system", value: system),
      InfoEntry(key: "machine", value: machine),
    ]
  }

  /// Of a recording that was started here: by this command line, in this folder.
  static func entries(command: [String]) -> [InfoEntry] {
    let folder = FileManager.default.currentDirectoryPath
    return entries + [InfoEntry(key: InfoEntry.command, value: ShellWords.line(command))]
      + (folder.isEmpty ? [] : [InfoEntry(key: InfoEntry.folder, value: folder)])
  }

  /// Of a recording of this very process.
  static var entriesHere: [InfoEntry] {
    entries(command: CommandLine.arguments)
      + [InfoEntry(key: InfoEntry.process, value: "\(ProcessInfo.processInfo.processIdentifier)")]
      + foundation
  }

  /// The library behind this process's run loops; of a program that has it linked in nothing is known.
  private static var foundation: [InfoEntry] {
    guard let path = LoadedLibraries.path(of: LoadedLibraries.foundation, process: "self") else { return [] }
    return [InfoEntry(foundation: path, buildID: (try? ExecutableFacts(path: path))?.buildID ?? [])]
  }

  private static var system: String {
    var facts = utsname()
    guard uname(&facts) == 0 else { return "unknown" }
    return "\(text(facts.sysname)) \(text(facts.release))"
  }

  private static var machine: String {
    var facts = utsname()
    guard uname(&facts) == 0 else { return "unknown" }
    return "\(text(facts.machine)), \(ProcessInfo.processInfo.activeProcessorCount) cores"
  }

  private static func text<T>(_ field: T) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
