import SystemSupport

/// Recognizes trace files by their contents.
public enum TraceFile {
  /// Returns whether `path` is a regular file that begins like a trace. A symbolic link is not followed.
  public static func isTrace(_ path: String) -> Bool { Files.begins(path, with: FileHeader.magic) }
}
