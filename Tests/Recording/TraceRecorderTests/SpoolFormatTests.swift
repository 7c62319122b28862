import CRLTraceShims
import TestSupport
import Testing

/// docs/reference/spool-format.md documents the offsets of the fields of the header and of a ring.
@Suite struct SpoolFormatTests {
  /// Returns the offsets by name from the table under a heading.
  private func table(_ heading: String) throws -> [String: Int] {
    let page = try ProjectFiles.text("docs/reference/spool-format.md")
    let start = try #require(page.range(of: "\n## \(heading)\n"))
    let section = page[start.upperBound...].prefix(while: { $0 != "#" })
    var offsets: [String: Int] = [:]
    for line in section.split(separator: "\n") where line.hasPrefix("| ") {
      let cells = line.split(separator: "|").map { $0.trimmingPrefix(" ").split(separator: " ").first ?? "" }
      if cells.count >= 2, let offset = Int(cells[0]) { offsets[String(cells[1])] = offset }
    }
    return offsets
  }

  @Test func header() throws {
    typealias S = rlt_spool
    #expect(
      try table("Header") == [
        "magic": MemoryLayout<S>.offset(of: \.magic), "version": MemoryLayout<S>.offset(of: \.version),
        "flags": MemoryLayout<S>.offset(of: \.flags), "bytes": MemoryLayout<S>.offset(of: \.bytes),
        "rings_offset": MemoryLayout<S>.offset(of: \.rings_offset),
        "names_offset": MemoryLayout<S>.offset(of: \.names_offset),
        "names_bytes": MemoryLayout<S>.offset(of: \.names_bytes),
        "slots_offset": MemoryLayout<S>.offset(of: \.slots_offset),
        "slots_per_ring": MemoryLayout<S>.offset(of: \.slots_per_ring),
        "ring_count": MemoryLayout<S>.offset(of: \.ring_count),
        "time_unit_ns": MemoryLayout<S>.offset(of: \.time_unit_ns),
        "recorder_pid": MemoryLayout<S>.offset(of: \.recorder_pid),
        "recorder_start": MemoryLayout<S>.offset(of: \.recorder_start),
        "recorder_namespace": MemoryLayout<S>.offset(of: \.recorder_namespace),
        "recording": MemoryLayout<S>.offset(of: \.recording),
        "boot_id": MemoryLayout<S>.offset(of: \.boot_id), "origin": MemoryLayout<S>.offset(of: \.origin),
        "later": MemoryLayout<S>.offset(of: \.later),
        "program_pid": MemoryLayout<S>.offset(of: \.program_pid),
        "seen": MemoryLayout<S>.offset(of: \.seen), "threads": MemoryLayout<S>.offset(of: \.threads),
        "rings_used": MemoryLayout<S>.offset(of: \.rings_used),
        "names_used": MemoryLayout<S>.offset(of: \.names_used),
        "strings": MemoryLayout<S>.offset(of: \.strings),
        "names_refused": MemoryLayout<S>.offset(of: \.names_refused),
        "ringless_lost": MemoryLayout<S>.offset(of: \.ringless_lost),
        "unwrapped": MemoryLayout<S>.offset(of: \.unwrapped), "latest": MemoryLayout<S>.offset(of: \.latest),
        "is_stopped": MemoryLayout<S>.offset(of: \.is_stopped),
        "children": MemoryLayout<S>.offset(of: \.children),
        "left_out": MemoryLayout<S>.offset(of: \.left_out),
        "pid_namespace": MemoryLayout<S>.offset(of: \.pid_namespace),
        "program_start": MemoryLayout<S>.offset(of: \.program_start),
        "names_backed": MemoryLayout<S>.offset(of: \.names_backed),
        "unbacked_names": MemoryLayout<S>.offset(of: \.unbacked_names),
        "seen_alive_count": MemoryLayout<S>.offset(of: \.seen_alive_count),
        "seen_alive": MemoryLayout<S>.offset(of: \.seen_alive),
        "topology_requests": MemoryLayout<S>.offset(of: \.topology_requests),
        "written_events": MemoryLayout<S>.offset(of: \.written_events),
        "dropped_events": MemoryLayout<S>.offset(of: \.dropped_events),
        "left_out_error": MemoryLayout<S>.offset(of: \.left_out_error),
        "giving_ring": MemoryLayout<S>.offset(of: \.giving_ring),
        "giving_tail": MemoryLayout<S>.offset(of: \.giving_tail),
        "giving_written": MemoryLayout<S>.offset(of: \.giving_written),
        "is_disk_full": MemoryLayout<S>.offset(of: \.is_disk_full),
        "ending": MemoryLayout<S>.offset(of: \.ending),
        "rings_backed": MemoryLayout<S>.offset(of: \.rings_backed),
        "exit_status": MemoryLayout<S>.offset(of: \.exit_status),
        "killed_count": MemoryLayout<S>.offset(of: \.killed_count),
        "killed": MemoryLayout<S>.offset(of: \.killed),
      ])
    #expect(RLT_SPOOL_VERSION == 6 && RLT_SPOOL_RINGS == 8192)
  }

  /// The page lists the number of rings of each size.
  @Test func classesOfRings() throws {
    let page = try ProjectFiles.text("docs/reference/spool-format.md")
    var first: UInt32 = 0
    while first < UInt32(RLT_SPOOL_RINGS) {
      let slots = rlt_spool_ring_slots(1 << 19, first)
      var end = first
      while end < UInt32(RLT_SPOOL_RINGS), rlt_spool_ring_slots(1 << 19, end) == slots { end += 1 }
      #expect(page.contains("| \(first)–\(end - 1) | \(slots) |"))
      first = end
    }
  }

  @Test func ring() throws {
    typealias R = rlt_ring
    #expect(
      try table("Ring") == [
        "head": MemoryLayout<R>.offset(of: \.head), "limit": MemoryLayout<R>.offset(of: \.limit),
        "lost_pending": MemoryLayout<R>.offset(of: \.lost_pending),
        "capacity": MemoryLayout<R>.offset(of: \.capacity),
        "slots_offset": MemoryLayout<R>.offset(of: \.slots_offset),
        "os_thread": MemoryLayout<R>.offset(of: \.os_thread), "thread": MemoryLayout<R>.offset(of: \.thread),
        "state": MemoryLayout<R>.offset(of: \.state), "mark_count": MemoryLayout<R>.offset(of: \.mark_count),
        "marks": MemoryLayout<R>.offset(of: \.marks), "runs": MemoryLayout<R>.offset(of: \.runs),
        "mode": MemoryLayout<R>.offset(of: \.mode),
        "full_disk_lost": MemoryLayout<R>.offset(of: \.full_disk_lost),
        "full_disk_pending": MemoryLayout<R>.offset(of: \.full_disk_pending),
        "claimed_head": MemoryLayout<R>.offset(of: \.claimed_head),
        "tail": MemoryLayout<R>.offset(of: \.tail), "backed": MemoryLayout<R>.offset(of: \.backed),
      ])
  }
}
