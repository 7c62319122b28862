import CRLTraceShims
import TraceFormat

/// How much room a disk has.
public enum DiskRoom {
  /// What this user may still write in the file system of `folder`; nil when it does not say.
  public static func bytes(in folder: String) -> UInt64? {
    var status = statvfs()
    guard unsafe statvfs(folder, &status) == 0, status.f_frsize > 0, status.f_blocks > 0 else { return nil }
    let (bytes, overflows) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return overflows ? .max : bytes
  }

  /// Where a disk has little room, rings are smaller than `wanted`, so that the trace finds some.
  public static func slotsPerRing(_ wanted: Int, in folder: String) -> Int {
    let room = bytes(in: folder) ?? .max
    var slots = wanted
    while slots > leastSlots, UInt64(slots * MemoryLayout<rlt_record>.stride) > room / 16 { slots /= 2 }
    return slots
  }

  /// A page.
  private static let leastSlots = 256
}
