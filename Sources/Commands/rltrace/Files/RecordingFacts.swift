import Foundation
import Symbolication
import SystemSupport
import TraceFormat
import TraceRecorder

/// The info entries about the origin of a trace.
enum RecordingFacts {
  /// The entries of every recording made on this system.
  static var entries: [InfoEntry] {
    [
      InfoEntry(key: InfoEntry.recorder, value: rltraceVersion),
      InfoEntry(key: "system", value: system),
      InfoEntry(key: "machine", value: machine),
    ]
  }

  /// The entries of a recording that this command line started in this folder.
  static func entries(command: [String]) -> [InfoEntry] {
    let folder = FileManager.default.currentDirectoryPath
    return entries + [InfoEntry(key: InfoEntry.command, value: ShellWords.line(command))]
      + (folder.isEmpty ? [] : [InfoEntry(key: InfoEntry.folder, value: folder)])
  }

  /// The entries of a recording of this process.
  static var entriesHere: [InfoEntry] {
    entries(command: CommandLine.arguments)
      + [InfoEntry(key: InfoEntry.process, value: "\(ProcessInfo.processInfo.processIdentifier)")]
      + foundation
  }

  /// The library with this process's run loops; empty if it is linked statically.
  private static var foundation: [InfoEntry] {
    guard let path = LoadedLibraries.path(of: LoadedLibraries.foundation, process: "self") else { return [] }
    return [InfoEntry(foundation: path, buildID: (try? ExecutableFacts(path: path))?.buildID ?? [])]
  }

  /// The system with its release.
  static var system: String {
    var facts = utsname()
    guard uname(&facts) == 0 else { return "unknown" }
    return "\(text(facts.sysname)) \(text(facts.release))"
  }

  /// The architecture and the number of processors.
  static var machine: String {
    var facts = utsname()
    guard uname(&facts) == 0 else { return "unknown" }
    return "\(text(facts.machine)), \(ProcessInfo.processInfo.activeProcessorCount) cores"
  }

  private static func text<T>(_ field: T) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
