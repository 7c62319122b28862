import Foundation
import SystemSupport
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

  private struct State {
    /// The file that was opened last, for the error message; nil = none yet.
    var file: String?
    /// The limit for each of the files that are read at a time, in bytes.
    var bytes = ReadingLimits.residentBytes
    var filesAtOnce = 1
  }

  private static let state = Locked(State())

  /// Allows a command that reads `count` files at a time to take that many times the memory. Called before the first
  /// file is opened.
  static func allow(filesAtOnce count: Int) { state.withLock { $0.filesAtOnce = count } }

  /// Watches the memory from now until the process ends.
  static func watch(reading name: String) {
    let isFirst = state.withLock { state in
      defer { state.file = name }
      return state.file == nil
    }
    guard isFirst else { return }
    // Foundation's APIs for the environment and for threads would add 2 % to the start-up time of a command.
    if let words = getenv(variable), let size = SizeArgument(argument: String(cString: words)) {
      state.withLock { $0.bytes = Int(clamping: size.bytes) }
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
    let (bytes, files) = state.withLock { ($0.bytes, $0.filesAtOnce) }
    // For each file, on average.
    var taken = 0
    while true {
      usleep(taken < bytes / 2 ? intervalsUs.0 : intervalsUs.1)
      taken = residentPages * pageBytes / files
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
    let state = state.withLock { $0 }
    let reading =
      state.filesAtOnce > 1
      ? "reading \(state.filesAtOnce) files at a time" : "\(state.file ?? ""): reading it"
    let mebibytes = (state.bytes >> 20) * state.filesAtOnce
    Terminal.complain(
      "\(reading) takes more than \(mebibytes) MiB of memory (residentBytes); set \(variable)=1G to allow more"
    )
    UnfinishedFiles.end(ExitStatus.badData.rawValue)
    while true { pause() }
  }
}
