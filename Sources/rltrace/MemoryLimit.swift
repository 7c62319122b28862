import Foundation
import TraceFormat

/// Ends a command whose reading takes more memory than any file may make it take.
///
/// Each limit on what a file holds is chosen for itself. A file that is at many of them at once, as nobody's recording is, meets
/// this one: what all of it takes together, looked at from beside, so that it holds wherever memory is taken.
enum MemoryLimit {
  /// Beyond that the file is refused.
  private static let variable = "RLTRACE_MEMORY"
  /// Until half of it is taken, and from then on: nothing takes half of it in so short a time.
  private static let intervalsUs: (UInt32, UInt32) = (10_000, 2_000)

  /// What is read now, for the error.
  nonisolated(unsafe) private static var file: UnsafeMutablePointer<CChar>?
  nonisolated(unsafe) private static var bytes = ReadingLimits.residentBytes

  /// From now on, for as long as the process runs.
  static func watch(reading name: String) {
    let isWatched = file != nil
    file = strdup(name)
    guard !isWatched else { return }
    // Not Foundation's environment and threads, which take a fiftieth of a command's start.
    if let words = getenv(variable), let size = SizeArgument(argument: String(cString: words)) {
      bytes = Int(clamping: size.bytes)
    }
    #if canImport(Glibc)
    // Where that is not there, nobody can look.
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
    // Signals are the command's.
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

  /// The second number: `size resident shared …`.
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
      "\(name): reading it takes more than \(bytes >> 20) MiB of memory (residentBytes); \(variable)=1G allows as much"
    )
    UnfinishedFiles.remove()
    _exit(ExitStatus.badData.rawValue)
  }
}
