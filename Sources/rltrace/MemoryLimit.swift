import Foundation
import TraceFormat

/// Ends a command whose reading takes more memory than any file may make it take.
///
/// Each limit on what a file holds is chosen for itself. A file that is at many of them at once, as nobody's recording is, meets
/// this one: what all of it takes together, looked at from beside, so that it holds wherever memory is taken.
enum MemoryLimit {
  /// Beyond that the file is refused.
  private static let variable = "RLTRACE_MEMORY"
  private static let lookIntervalUs: UInt32 = 2000

  /// What is read now, for the error.
  nonisolated(unsafe) private static var file: UnsafeMutablePointer<CChar>?
  nonisolated(unsafe) private static var bytes = ReadingLimits.residentBytes

  /// From now on, for as long as the process runs.
  static func watch(reading name: String) {
    let isWatched = file != nil
    file = strdup(name)
    guard !isWatched else { return }
    if let words = ProcessInfo.processInfo.environment[variable], let size = SizeArgument(argument: words) {
      bytes = Int(clamping: size.bytes)
    }
    #if canImport(Glibc)
    // Where that is not there, nobody can look.
    let statistics = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard statistics >= 0 else { return }
    let thread = Thread { look(statistics) }
    thread.stackSize = 1 << 16
    thread.start()
    #endif
  }

  #if canImport(Glibc)
  private static func look(_ statistics: Int32) {
    // Signals are the command's.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let pageBytes = sysconf(Int32(_SC_PAGESIZE))
    while true {
      if let pages = residentPages(statistics), pages * pageBytes > bytes { refuse() }
      usleep(lookIntervalUs)
    }
  }

  /// The second number: `size resident shared …`.
  private static func residentPages(_ statistics: Int32) -> Int? {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 128) { text in
      let count = pread(statistics, text.baseAddress, text.count, 0)
      guard count > 0 else { return nil }
      let words = text[..<count].split(separator: UInt8(ascii: " "), maxSplits: 2)
      return words.count > 1 ? words[1].reduce(0) { $0 * 10 + Int($1) - 48 } : nil
    }
  }
  #endif

  private static func refuse() -> Never {
    let name = file.map { String(cString: $0) } ?? ""
    Terminal.complain(
      "\(name): reading it takes more than \(bytes >> 20) MiB of memory (residentBytes); \(variable)=1G allows as much"
    )
    UnfinishedFiles.remove()
    _exit(ExitStatus.badData.rawValue)
  }
}
