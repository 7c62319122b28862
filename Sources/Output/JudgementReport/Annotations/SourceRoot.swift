import CallStacks
import TraceResults

/// The top folder of the sources. Tools that show results beside code expect paths below it.
package struct SourceRoot: Sendable {
  private let root: [Substring]
  private let current: [Substring]

  /// Both folders are absolute paths. Relative file names start at `currentFolder`.
  package init(_ root: String, currentFolder: String) {
    self.root = root.split(separator: "/")
    current = currentFolder.split(separator: "/")
  }

  /// Returns the path below the root; nil if the file is elsewhere. Does not read the file system.
  package func path(of file: String) -> String? {
    var parts: [Substring] = file.hasPrefix("/") ? [] : current
    for part in file.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    guard parts.count > root.count, parts.starts(with: root) else { return nil }
    return parts.dropFirst(root.count).joined(separator: "/")
  }

  /// Returns the place of a frame's code; nil if its file or line is not known, or if the file is not below the root.
  func place(of frame: StackFrame?) -> SourcePlace? {
    guard let frame, let file = frame.file, let line = frame.line, line > 0, let path = path(of: file) else {
      return nil
    }
    return SourcePlace(path: harmless(path, limit: .max), line: line)
  }
}

/// A line of a source file.
struct SourcePlace: Sendable, Equatable {
  /// Below the root of the sources.
  let path: String
  /// Starts at 1.
  let line: Int
}
