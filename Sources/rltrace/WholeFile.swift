import Foundation
import TraceFormat

/// Small files that are there whole or not at all.
enum WholeFile {
  /// What is read is not what an output replaces, whatever name it goes by. Before the long work.
  static func keep(
    _ files: [String], _ what: String = "trace", from path: String, option: String
  ) throws(Failure) {
    guard files.contains(where: { isSame($0, path) }) else { return }
    throw Failure(
      status: .usage, message: "\(path) is the \(what) itself; choose another place with \(option)")
  }

  /// Outputs of one command have places of their own. Before the long work.
  static func keepApart(_ outputs: [(path: String, option: String)]) throws(Failure) {
    for (place, output) in outputs.enumerated() {
      guard let other = outputs[..<place].first(where: { same($0.path, output.path) }) else { continue }
      throw Failure(
        status: .usage,
        message:
          "\(output.path): \(other.option) and \(output.option) would write the same file; give each a place of its own"
      )
    }
  }

  /// Whether two names are of one file, though it may not be there yet.
  private static func same(_ path: String, _ other: String) -> Bool {
    func resolved(_ path: String) -> String {
      let url = URL(fileURLWithPath: path)
      return url.deletingLastPathComponent().resolvingSymlinksInPath()
        .appendingPathComponent(url.lastPathComponent).standardizedFileURL.path
    }
    return isSame(path, other) || resolved(path) == resolved(other)
  }

  static func isSame(_ path: String, _ other: String) -> Bool {
    var a = stat()
    var b = stat()
    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino
  }

  /// `-` is no name of a file where several things are written.
  static func refuseStandardOutput(_ path: String?, option: String, instead: String) throws(Failure) {
    guard let path, Output.isStandardOutput(path) else { return }
    throw Failure(status: .usage, message: "\(option) writes files, not standard output; \(instead)")
  }

  /// Replaces the file behind `path`. `option` is what names it on the command line.
  static func write(_ text: String, to path: String, option: String) throws(Failure) {
    do throws(TraceFormatError) {
      let sink = try Output.file(path, isDurable: false)
      try sink.write(Array(text.utf8))
      try sink.commit()
      Output.say(wrote: path)
    } catch {
      throw Failure.writing(path, error, option: option)
    }
  }

  /// Makes a folder, unless it is there. `withParents`: and those that it is to be in.
  static func makeFolder(_ folder: String, withParents: Bool = false, option: String) throws(Failure) {
    do {
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue { return }
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: withParents)
    } catch {
      throw Failure(
        status: .cannotCreate,
        message: "cannot make the folder \(folder); give one that can be written, with \(option)")
    }
  }
}
