import Foundation

/// Programs that give up privileges or resources before they first run a loop.
enum Confined {
  private static let ways: [(name: String, confine: () -> Bool)] = [
    ("root", { chdir("/") == 0 && chroot("/proc/self/fdinfo") == 0 }),
    ("memory", limitMemory), ("descriptors", closeAll), ("size", limitFileSize),
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
    var limit = rlimit(rlim_cur: used * 4096 + 64 << 20, rlim_max: used * 4096 + 64 << 20)
    return setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0
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
