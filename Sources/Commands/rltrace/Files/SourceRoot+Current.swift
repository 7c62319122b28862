import Foundation
import JudgementReport

extension SourceRoot {
  /// The repository of the current folder: the nearest folder with `.git`, or else the current folder.
  static var current: SourceRoot {
    let folder = FileManager.default.currentDirectoryPath
    var parts = folder.split(separator: "/")
    while !parts.isEmpty {
      let root = "/" + parts.joined(separator: "/")
      if FileManager.default.fileExists(atPath: root + "/.git") {
        return SourceRoot(root, currentFolder: folder)
      }
      parts.removeLast()
    }
    return SourceRoot(folder, currentFolder: folder)
  }
}
