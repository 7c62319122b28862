import Foundation

/// Programs that a command starts, and files for them.
enum OtherProgram {
  /// Returns a name that other users cannot guess.
  static func randomName() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

  /// Starts a program from the PATH and returns its process; nil if it cannot be started.
  @discardableResult
  static func start(_ command: [String]) -> pid_t? {
    var process: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    return posix_spawnp(&process, command[0], nil, nil, &arguments, environ) == 0 ? process : nil
  }

  /// Creates an empty file in the folder for temporary files, which only the user can read. Writing a whole file in its
  /// place keeps that.
  static func temporaryFile(_ suffix: String) throws(Failure) -> String {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    let path = "\(folder)/rltrace-\(randomName())\(suffix)"
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw Failure(
        status: .cannotCreate, message: "cannot create \(path): \(String(cString: strerror(errno)))")
    }
    close(file)
    return path
  }
}
