import Foundation

/// Programs that a command starts, and files for them.
enum OtherProgram {
  /// Starts a program from the PATH and returns its process; nil if it cannot be started.
  @discardableResult
  static func start(_ command: [String]) -> pid_t? {
    var process: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    return posix_spawnp(&process, command[0], nil, nil, &arguments, environ) == 0 ? process : nil
  }

  /// Returns a new name in the folder for temporary files.
  static func temporaryFile(_ suffix: String) -> String {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    return "\(folder)/rltrace-\(OneFileServer.secret())\(suffix)"
  }
}
