import Foundation
import TestSupport
import Testing
import TraceFormat

/// A 200 MB btrfs file system in its own mount namespace. It disappears with the namespace.
private enum CopyOnWriteDisk {
  static let isThere: Bool = {
    guard getuid() == 0, let folder = try? TemporaryFolder() else { return false }
    return (try? run("limit 1m", in: folder))?.status == 0
  }()

  private static let make = """
    truncate -s 200M image && mkfs.btrfs -q image >/dev/null 2>&1 && mkdir disk && mount -o loop image disk &&
    btrfs quota enable disk && btrfs subvolume create disk/part >/dev/null && cd disk/part || exit 99
    limit() { sync; btrfs qgroup limit $1 . ; }
    fill() { for i in $(seq 20); do dd if=/dev/zero of=filler$i bs=4k count=60000 2>/dev/null; sync; done; }

    """

  /// Runs the script in a folder of the disk. `$0` is rltrace, `$1` the programs with loops.
  static func run(_ script: String, in folder: TemporaryFolder) throws -> Program.Result {
    try Program(path: "/usr/bin/env").run(
      ["unshare", "-m", "bash", "-c", make + script, Program.rltrace.path, Program.loopPrograms.path],
      folder: folder.path)
  }
}

/// Copy-on-write disks, which store rewritten data in a new place. When the disk is full or a quota is reached, each
/// store may fail, and so may renaming or truncating a file.
@Suite(
  .ownThread, .optimizedBuild, .enabled(if: CopyOnWriteDisk.isThere, "needs root, btrfs and loop devices"))
struct CopyOnWriteDiskTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ script: String) throws -> Program.Result {
    try CopyOnWriteDisk.run(script, in: folder)
  }

  private func events(_ name: String) throws -> UInt64 {
    let reader = try openTrace(path: folder.file(name))
    #expect(reader.isClean)
    return reader.eventCount
  }

  /// The program survives whatever happens to its spool, or the recording does not begin.
  @Test(arguments: [100, 300, 600]) func aQuotaThatIsReachedAtOnce(kilobytes: Int) throws {
    let result = try run(
      "limit \(kilobytes)k; \"$0\" record -q -o t.rltrace -- \"$1\" timers 400; echo status $?")
    let isRefused = result.output == "status 74\n" && result.errors.contains("choose another place")
    let isReported =
      result.output.hasPrefix("fires 400\n") && result.errors.contains("the disk had no room for ")
    #expect(isRefused || isReported || result.output == "fires 400\nstatus 0\n", "\(result)")
  }

  /// Stored and written events wait until the disk has room.
  @Test(arguments: ["limit 3m", ":"]) func aDiskThatIsFullForAWhile(quota: String) throws {
    let result = try run(
      """
      \(quota); "$0" record -q -o t.rltrace -- "$1" timers 3000 & recorder=$!
      \(FaultTests.waitForPart)
      fill; sleep 0.3; rm filler*; sync
      wait $recorder; echo status $?
      [ -e t.rltrace ] || "$0" recover t.rltrace.spool; ls; cp t.rltrace ../..
      """)
    let lines = result.output.split(separator: "\n")
    #expect(lines.first == "fires 3000" && lines.last == "t.rltrace", "\(result)")
    #expect(try events("t.rltrace") > 5000)
    // A loss is always reported.
    let fires = try #require(lines.dropFirst().first)
    #expect(fires == "status 0" || result.errors.contains("the disk had no room for "), "\(result)")
  }

  /// The recorder checks for room every ten milliseconds, not at each event. The program takes three seconds, or less
  /// than half a minute if its rings fill up. A check at each event would take over five minutes.
  @Test(arguments: ["", "--flight-recorder 30"]) func aDiskThatStaysFull(mode: String) throws {
    let result = try run(
      """
      timeout 120 "$0" record -q \(mode) -o t.rltrace -- "$1" timers 3000 & recorder=$!
      \(FaultTests.waitForPart)
      fill; wait $recorder; echo status $?
      rm filler*; sync; [ -e t.rltrace ] || "$0" recover t.rltrace.spool; ls; cp t.rltrace ../..
      """)
    #expect(result.output.hasPrefix("fires 3000\n") && result.output.hasSuffix("\nt.rltrace\n"), "\(result)")
    let isWhole = result.output == "fires 3000\nstatus 0\nt.rltrace\n"
    #expect(
      isWhole || result.errors.contains("No space left on device; the recording is kept"), "\(result)")
    #expect(try events("t.rltrace") > 5000)
  }

  /// Without room, the recovery cannot even rename the part of the killed recorder. The part stays until there is
  /// room.
  @Test func aRecoveryWithoutRoom() throws {
    let result = try run(
      """
      set -m; "$0" record -q -o t.rltrace -- "$1" timers 100000 & set +m
      \(FaultTests.waitForPart)
      kill -KILL -- -$!; wait 2>/dev/null; sync
      cp t.rltrace.part ../../before; limit 50k
      "$0" recover t.rltrace.spool; echo status $?; cmp t.rltrace.part ../../before; ls
      btrfs quota disable ..
      "$0" recover t.rltrace.spool; echo status $?; ls; cp t.rltrace ../..
      """)
    #expect(
      result.output == "status 74\nt.rltrace.part\nt.rltrace.spool\nstatus 0\nt.rltrace\n", "\(result)")
    #expect(try events("t.rltrace") >= 1000)
  }
}
