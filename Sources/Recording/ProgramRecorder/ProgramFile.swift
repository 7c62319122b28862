import SystemSupport

/// The file behind a command.
package enum ProgramFile {
  /// Finds the file as execvp does. `searchPath` is $PATH, nil if there is none. Throws the error that starting the
  /// file would give, if that is known in advance: the file does not exist or may not be executed.
  package static func find(
    _ command: SystemText, searchPath: SystemText?
  ) throws(LaunchError) -> SystemText {
    guard !command.bytes.contains(UInt8(ascii: "/")) else {
      if let code = obstacle(command) { throw LaunchError(code: code) }
      return command
    }
    guard !command.bytes.isEmpty else { throw LaunchError(code: ENOENT) }
    var isForbidden = false
    let folders = (searchPath ?? SystemText("/bin:/usr/bin")).bytes
    // An empty folder means the current one.
    for folder in folders.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) {
      let path =
        folder.isEmpty ? command : SystemText(bytes: folder + [UInt8(ascii: "/")] + command.bytes)
      guard let code = obstacle(path) else { return path }
      isForbidden = isForbidden || code == EACCES
    }
    throw LaunchError(code: isForbidden ? EACCES : ENOENT)
  }

  /// Returns the error that executing a file would give, or nil.
  private static func obstacle(_ path: SystemText) -> Int32? {
    var status = stat()
    let name = path.cString
    guard unsafe stat(name, &status) == 0 else { return errno }
    guard status.st_mode & S_IFMT == S_IFREG else { return EACCES }
    return unsafe access(name, X_OK) == 0 ? nil : errno
  }
}
