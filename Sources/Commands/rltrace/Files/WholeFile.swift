import Foundation
import TraceFormat

/// Writes small files completely or not at all.
enum WholeFile {
  /// Throws if `-` is given for an output that must be a file.
  static func refuseStandardOutput(_ path: String?, option: String, instead: String) throws(Failure) {
    guard let path, Terminal.isStandardOutput(path) else { return }
    throw Failure(status: .usage, message: "\(option) writes files, not standard output; \(instead)")
  }

  /// Replaces the file at `path`. `option` is the option that named it.
  static func write(_ text: String, to path: String, option: String) throws(Failure) {
    do throws(TraceFormatError) {
      let sink = try Output.file(path, isDurable: false)
      try sink.write(Array(text.utf8))
      try sink.commit()
      Output.report(wrote: path)
    } catch {
      throw Failure.writing(path, error, option: option)
    }
  }

  /// Creates a folder unless it exists. `withParents` also creates its parents.
  static func makeFolder(_ folder: String, withParents: Bool = false, option: String) throws(Failure) {
    guard !isFolder(folder) else { return }
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: withParents)
    } catch {
      throw Failure(
        status: .cannotCreate,
        message: "cannot create the folder \(folder); choose another one with \(option)")
    }
  }
}
