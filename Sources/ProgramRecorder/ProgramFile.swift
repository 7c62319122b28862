import TraceFormat

/// The file behind a command.
public enum ProgramFile {
  /// Found as execvp finds it. `searchPath` is $PATH, nil when there is none. Throws what starting it would fail with, as
  /// far as that can be told without: it is not there, or may not be executed.
  public static func find(_ command: String, searchPath: String?) throws(LaunchError) -> String {
    guard !command.contains("/") else {
      if let code = obstacle(command) { throw LaunchError(code: code) }
      return command
    }
    guard !command.isEmpty else { throw LaunchError(code: ENOENT) }
    var isForbidden = false
    // An empty folder is the one we are in.
    for folder in (searchPath ?? "/bin:/usr/bin").split(separator: ":", omittingEmptySubsequences: false) {
      let path = folder.isEmpty ? command : "\(folder)/\(command)"
      guard let code = obstacle(path) else { return path }
      isForbidden = isForbidden || code == EACCES
    }
    throw LaunchError(code: isForbidden ? EACCES : ENOENT)
  }

  /// The error that executing a file would end with.
  private static func obstacle(_ path: String) -> Int32? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return errno }
    guard status.st_mode & S_IFMT == S_IFREG else { return EACCES }
    return unsafe access(path, X_OK) == 0 ? nil : errno
  }
}
