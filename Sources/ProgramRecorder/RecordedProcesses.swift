import TraceFormat

/// The processes of a recording, found by the variables that they were started with: those that never announced
/// themselves, too.
enum RecordedProcesses {
  /// Processes that were given this spool, still run, and have a library with run loops in them.
  static func running(spoolPath: String) -> [Int32] {
    let entry = "\(ProgramEnvironment.spoolVariable)=\(SystemText.absolute(spoolPath).text)\0"
    return TraceFile.neighbours(of: "/proc/").names.compactMap { Int32($0) }.filter { process in
      // What the kernel shows is what the process began with, whatever it has made of it since.
      process > 0 && contains("/proc/\(process)/environ", entry)
        && contains("/proc/\(process)/maps", "/libFoundation.so")
    }
  }

  /// Whether the text occurs in a file; false when it cannot be read, as those of other users and of ended processes.
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
