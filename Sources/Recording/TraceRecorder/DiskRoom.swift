import CRLTraceShims
import SystemSupport

/// The free space of a disk, and of this process.
package enum DiskRoom {
  /// Returns the bytes that this user may still write in the file system of `folder`, or nil if the file system does
  /// not report it.
  package static func bytes(in folder: String) -> UInt64? {
    var status = statvfs()
    guard unsafe statvfs(folder, &status) == 0, status.f_frsize > 0, status.f_blocks > 0 else { return nil }
    let (bytes, overflows) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return overflows ? .max : bytes
  }

  /// Returns the number of slots per ring: `wanted`, or less if the disk has little room, so that the trace still
  /// fits, or if this process's address space is limited.
  package static func slotsPerRing(_ wanted: Int, in folder: String) -> Int {
    let room = bytes(in: folder) ?? .max
    let addresses = rlt_spool_address_share(0)
    var slots = wanted
    while slots > leastSlots,
      UInt64(slots * MemoryLayout<rlt_record>.stride) > room / 16
        || rlt_spool_bytes(UInt64(slots)) > addresses
    { slots /= 2 }
    return slots
  }

  /// One page of slots.
  private static let leastSlots = 256
}
