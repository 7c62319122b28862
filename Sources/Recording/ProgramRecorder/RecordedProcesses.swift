import SystemSupport

/// The processes of a recording, found by the variables that they were started with. They include processes that
/// never announced themselves.
enum RecordedProcesses {
  /// Returns the processes that were started with this spool, still run, and have loaded a library with run loops.
  static func running(spoolPath: String) -> [Int32] {
    let entry = "\(ProgramEnvironment.spoolVariable)=\(SystemText.absolute(spoolPath).text)\0"
    return Files.neighbours(of: "/proc/").names.compactMap { Int32($0) }.filter { process in
      // The kernel shows the environment with which the process began, even if the process changed it since.
      process > 0 && contains("/proc/\(process)/environ", entry)
        && contains("/proc/\(process)/maps", "/libFoundation.so")
    }
  }

  /// Returns whether the text occurs in a file. Returns false if the file cannot be read, as for other users and
  /// ended processes.
  private static func contains(_ path: String, _ wanted: String) -> Bool {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while content.count < 1 << 24 {
      let count = unsafe read(descriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      content += part[..<count]
    }
    return String(decoding: content, as: UTF8.self).has(wanted)
  }
}
