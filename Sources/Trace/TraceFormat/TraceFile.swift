import SystemSupport

/// Recognizes trace files by their contents.
package enum TraceFile {
  /// Returns whether `path` is a regular file that begins like a trace. A symbolic link is not followed.
  package static func isTrace(_ path: String) -> Bool { Files.begins(path, with: FileHeader.magic) }
}
