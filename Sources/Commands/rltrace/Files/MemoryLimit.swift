import Foundation
import TraceFormat

/// Ends a command that takes more memory to read a file than any valid file needs.
///
/// Each limit on the contents of a file is chosen independently. A file that reaches many of them at once, unlike any
/// real recording, exceeds this limit on their sum. A separate thread watches the memory, so the limit holds wherever
/// memory is allocated.
enum MemoryLimit {
  /// The variable that sets another limit, in bytes.
  private static let variable = "RLTRACE_MEMORY"
  /// The intervals between two checks, before and after half of the limit is in use. No read fills the other half
  /// within the second interval.
  private static let intervalsUs: (UInt32, UInt32) = (10_000, 2_000)

  /// The file being read, for the error message.
  nonisolated(unsafe) private static var file: UnsafeMutablePointer<CChar>?
  nonisolated(unsafe) private static var bytes = ReadingLimits.residentBytes

  /// Watches the memory from now until the process ends.
  static func watch(reading name: String) {
    let isWatched = file != nil
    file = strdup(name)
    guard !isWatched else { return }
    // Foundation's APIs for the environment and for threads would add 2 % to the start-up time of a command.
    if let words = getenv(variable), let size = SizeArgument(argument: String(cString: words)) {
      bytes = Int(clamping: size.bytes)
    }
    #if canImport(Glibc)
    // Without this file the memory cannot be watched.
    statistics = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard statistics >= 0 else { return }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    pthread_create(&thread, &attributes, { _ in MemoryLimit.look() }, nil)
    pthread_attr_destroy(&attributes)
    #endif
  }

  #if canImport(Glibc)
  nonisolated(unsafe) private static var statistics: Int32 = -1

  private static func look() -> Never {
    // The command's own threads handle signals.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let pageBytes = sysconf(Int32(_SC_PAGESIZE))
    var taken = 0
    while true {
      usleep(taken < bytes / 2 ? intervalsUs.0 : intervalsUs.1)
      taken = residentPages * pageBytes
      if taken > bytes { refuse() }
    }
  }

  /// The second number in `size resident shared …`.
  private static var residentPages: Int {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 128) { text in
      let count = max(0, pread(statistics, text.baseAddress, text.count, 0))
      let behind = text[..<count].drop { $0 != UInt8(ascii: " ") }.dropFirst()
      return behind.prefix { $0 != UInt8(ascii: " ") }.reduce(0) { $0 * 10 + Int($1) - 48 }
    }
  }
  #endif

  private static func refuse() -> Never {
    let name = file.map { String(cString: $0) } ?? ""
    Terminal.complain(
      "\(name): reading it takes more than \(bytes >> 20) MiB of memory (residentBytes); set \(variable)=1G "
        + "to allow more"
    )
    UnfinishedFiles.end(ExitStatus.badData.rawValue)
    while true { pause() }
  }
}
