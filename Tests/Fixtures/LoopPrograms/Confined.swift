import Foundation

/// Programs that give up privileges or resources before they first run a loop.
enum Confined {
  private static let ways: [(name: String, confine: @Sendable () -> Bool)] = [
    ("root", { chdir("/") == 0 && chroot("/proc/self/fdinfo") == 0 }),
    ("memory", { limitMemory() }), ("memory-100", { limitMemory(bytes: 100 << 20) }),
    ("memory-400", { limitMemory(bytes: 400 << 20) }), ("locked", { lockMemory() }),
    ("descriptors", { closeAll() }),
    ("size", { limitFileSize() }),
  ]

  /// WAY COUNT: gives something up, then runs COUNT fires of a timer.
  static func run(_ arguments: [String]) {
    guard let way = ways.first(where: { $0.name == arguments.first }), way.confine() else {
      print("cannot: \(ways.map(\.name))")
      exit(64)
    }
    LoopPrograms.timers(Array(arguments.dropFirst()))
  }

  /// Limits the address space to the current size and 64 MiB more.
  private static func limitMemory() -> Bool {
    let sizes = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    guard let used = sizes?.split(separator: " ").first.flatMap({ UInt($0) }) else { return false }
    return limitMemory(bytes: rlim_t(used * 4096 + 64 << 20))
  }

  private static func limitMemory(bytes: rlim_t) -> Bool {
    var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
    return setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0
  }

  /// Locks all memory, now and later. Its own size is far below the limit.
  private static func lockMemory() -> Bool {
    guard mlockall(MCL_CURRENT | MCL_FUTURE) == 0 else { return false }
    let sizes = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    guard let resident = sizes?.split(separator: " ").dropFirst().first.flatMap({ UInt($0) }) else {
      return false
    }
    print(resident * 4096 < 300 << 20 ? "little memory" : "much memory")
    return true
  }

  private static func limitFileSize() -> Bool {
    var limit = rlimit(rlim_cur: 1 << 12, rlim_max: 1 << 12)
    return setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
  }

  private static func closeAll() -> Bool {
    for descriptor in 3..<1024 { close(Int32(descriptor)) }
    return true
  }
}
