import Foundation
import SystemSupport
import TestSupport
import Testing

/// Limits of control groups and mounted file systems, read from files as a kernel writes them.
@Suite struct SystemLimitsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ files: KeyValuePairs<String, String>) throws {
    for (name, text) in files {
      let file = URL(fileURLWithPath: folder.file(name))
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
  }

  private var group: ControlGroup { ControlGroup(root: folder.path) }

  @Test func theSmallestLimitOfNestedGroupsCounts() throws {
    try write([
      "proc/self/cgroup": "0::/system.slice/my.service\n",
      "sys/fs/cgroup/system.slice/memory.max": "268435456\n",
      "sys/fs/cgroup/system.slice/cpu.max": "max 100000\n",
      "sys/fs/cgroup/system.slice/my.service/memory.max": "536870912\n",
      "sys/fs/cgroup/system.slice/my.service/cpu.max": "50000 100000\n",
    ])
    #expect(group.memoryBytes == 268_435_456 && group.processors == 0.5)
  }

  @Test func aContainerSeesItsOwnGroupAsRoot() throws {
    try write([
      "proc/self/cgroup": "0::/../../other\n", "sys/fs/cgroup/memory.max": "1048576\n",
      "sys/fs/cgroup/cpu.max": "150000 100000\n",
    ])
    #expect(group.memoryBytes == 1_048_576 && group.processors == 1.5)
  }

  @Test func theFirstVersionOfControlGroups() throws {
    try write([
      "proc/self/cgroup": "12:cpu,cpuacct:/docker/1\n4:memory:/docker/1\n1:name=systemd:/\n",
      "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
      "sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "1000\n",
      "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
      "sys/fs/cgroup/cpu/docker/1/cpu.cfs_quota_us": "200000\n",
      "sys/fs/cgroup/cpu/docker/1/cpu.cfs_period_us": "100000\n",
    ])
    #expect(group.memoryBytes == 1000 && group.processors == 2)
  }

  @Test(
    arguments: ["", "0", "0::", "::/a", "0::/a\n0::/b", "x:memory,cpu:/a"],
    ["max\n", "", "-5", "0 0", "nan nan"])
  func unusualFilesGiveNoLimit(groups: String, limit: String) throws {
    try write([
      "proc/self/cgroup": groups, "sys/fs/cgroup/memory.max": limit, "sys/fs/cgroup/cpu.max": limit,
      "sys/fs/cgroup/a/cpu.max": limit, "sys/fs/cgroup/memory/memory.limit_in_bytes": limit,
    ])
    #expect(group.processors == nil && (group.memoryBytes ?? 0) == 0)
    #expect(ControlGroup(root: folder.file("nothing")) == ControlGroup(root: folder.file("missing")))
  }

  @Test func theInnermostMountHoldsAFolder() throws {
    try write([
      "proc/self/mountinfo": """
      22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
      23 22 0:21 / /proc rw,nosuid - proc proc rw,hidepid=invisible
      24 22 0:40 / /mnt/a\\040b rw shared:2 master:1 - overlay overlay rw,lowerdir=/l
      25 22 0:41 / /mnt/a\\040b rw - tmpfs tmpfs rw,size=1024k
      cut 26 0:42

      """
    ])
    func mount(_ path: String) -> Mount? { Mount.holding(path, root: folder.path) }
    #expect(mount("/mnt/a b/c")?.type == "tmpfs" && mount("/mnt/a b")?.point == "/mnt/a b")
    #expect(mount("/mnt/a bc")?.type == "ext4")
    #expect(mount("/proc/self")?.options == ["rw", "hidepid=invisible"])
    #expect(Mount.holding("/", root: folder.file("nothing")) == nil)
  }

  @Test func aTextIsReadUpToItsLimit() throws {
    let file = try folder.file("text", "0123456789")
    #expect(Files.text(file, atMost: 4) == "0123" && Files.text(file, atMost: 99) == "0123456789")
    #expect(Files.text(file, atMost: 0) == "" && Files.text(folder.file("missing"), atMost: 9) == nil)
    #expect(Files.text(folder.path, atMost: 9) == nil)
  }
}
