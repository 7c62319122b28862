import SystemSupport

/// The state of a process, as the system reports it.
enum ProcessState {
  /// Returns whether a signal stopped the process. False where the system does not report it.
  static func isStopped(_ process: Int32) -> Bool { letter(process).map { $0 == UInt8(ascii: "T") } ?? false }

  /// Returns the letter of the state in /proc; nil if there is none.
  static func letter(_ process: Int32) -> UInt8? {
    #if os(Linux)
    guard let file = unsafe fopen("/proc/\(process)/stat", "r") else { return nil }
    defer { unsafe fclose(file) }
    var line = [UInt8](repeating: 0, count: 512)
    let count = unsafe fread(&line, 1, line.count, file)
    guard let close = line[..<count].lastIndex(of: UInt8(ascii: ")")), close + 2 < count else { return nil }
    return line[close + 2]
    #else
    return nil
    #endif
  }
}
