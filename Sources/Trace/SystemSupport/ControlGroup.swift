/// The limits of the control groups of this process. The limit of a group applies to all groups inside it.
package struct ControlGroup: Equatable, Sendable {
  /// The bytes of memory that the processes of the group may use together; nil = no limit is known.
  package private(set) var memoryBytes: UInt64?
  /// The number of processors whose time they may use together, such as 0.5; nil = no limit is known.
  package private(set) var processors: Double?

  /// Nested groups. Beyond: limits of the inner ones are not read.
  private static let groups = 64
  /// Bytes of the list of groups. Beyond: limits of the others are not read.
  private static let listBytes = 1 << 14
  /// Bytes of a limit. Beyond: cut.
  private static let limitBytes = 256

  /// Reads the limits of version 1 and 2 of control groups. `root`: the folder with `proc` and `sys`.
  package init(root: String = "") {
    let list = Files.text("\(root)/proc/self/cgroup", atMost: ControlGroup.listBytes) ?? ""
    for line in list.split(separator: "\n") {
      // number:controllers:path
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let base = "\(root)/sys/fs/cgroup"
      let controllers = fields[1].split(separator: ",")
      // Version 2 has one tree of groups for all controllers.
      if controllers.isEmpty {
        for folder in ControlGroup.folders(base, fields[2]) { readLimits(of: folder) }
      }
      for controller in controllers {
        for folder in ControlGroup.folders("\(base)/\(controller)", fields[2]) { readOldLimits(of: folder) }
      }
    }
  }

  /// Returns the folders of the groups around a group, outermost first. A process may be outside of the part of the
  /// tree that it sees.
  private static func folders(_ base: String, _ path: Substring) -> [String] {
    var folders = [base]
    for name in path.split(separator: "/").prefix(groups) {
      guard name != ".." else { return [base] }
      folders.append("\(folders[folders.count - 1])/\(name)")
    }
    return folders
  }

  private mutating func readLimits(of folder: String) {
    let processors = ControlGroup.words("\(folder)/cpu.max")
    if processors.count == 2 { limit(time: Double(processors[0]), of: Double(processors[1])) }
    limit(memory: ControlGroup.words("\(folder)/memory.max").first)
  }

  private mutating func readOldLimits(of folder: String) {
    let time = ControlGroup.words("\(folder)/cpu.cfs_quota_us").first
    let period = ControlGroup.words("\(folder)/cpu.cfs_period_us").first
    limit(time: time.flatMap { Double($0) }, of: period.flatMap { Double($0) })
    limit(memory: ControlGroup.words("\(folder)/memory.limit_in_bytes").first)
  }

  private mutating func limit(memory text: Substring?) {
    // Version 1 states a very large number if there is no limit, version 2 the word `max`.
    guard let bytes = text.flatMap({ UInt64($0) }), bytes < 1 << 60 else { return }
    memoryBytes = min(memoryBytes ?? bytes, bytes)
  }

  /// Both values are in microseconds. A time of -1 is not a limit.
  private mutating func limit(time: Double?, of period: Double?) {
    guard let time, let period, time > 0, period > 0 else { return }
    processors = min(processors ?? .infinity, time / period)
  }

  private static func words(_ path: String) -> [Substring] {
    (Files.text(path, atMost: limitBytes) ?? "").split { $0 == " " || $0 == "\n" }
  }
}
