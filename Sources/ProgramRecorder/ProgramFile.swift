import TraceFormat

/// The file behind a command.
public enum ProgramFile {
  /// Found as execvp finds it. `searchPath` is $PATH, nil when there is none. Throws what starting it would fail with, as
  /// far as that can be told without: it is not there, or may not be executed.
  public static func find(
    _ command: SystemText, searchPath: SystemText?
  ) throws(LaunchError) -> SystemText {
    guard !command.bytes.contains(UInt8(ascii: "/")) else {
      if let code = obstacle(command) { throw LaunchError(code: code) }
      return command
    }
    guard !command.bytes.isEmpty else { throw LaunchError(code: ENOENT) }
    var isForbidden = false
    let folders = (searchPath ?? SystemText("/bin:/usr/bin")).bytes
    // An empty folder is the one we are in.
    for folder in folders.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) {
      let path =
        folder.isEmpty ? command : SystemText(bytes: folder + [UInt8(ascii: "/")] + command.bytes)
      guard let code = obstacle(path) else { return path }
      isForbidden = isForbidden || code == EACCES
    }
    throw LaunchError(code: isForbidden ? EACCES : ENOENT)
  }

  /// The error that executing a file would end with.
  private static func obstacle(_ path: SystemText) -> Int32? {
    var status = stat()
    let name = path.cString
    guard unsafe stat(name, &status) == 0 else { return errno }
    guard status.st_mode & S_IFMT == S_IFREG else { return EACCES }
    return unsafe access(name, X_OK) == 0 ? nil : errno
  }
}
