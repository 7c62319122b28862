import SystemSupport

/// Returns the CPU time that all threads of a process have used so far, or nil if it cannot be read. 0 = this
/// process.
func processCPUNs(_ process: Int32 = 0) -> UInt64? {
  var clock = CLOCK_PROCESS_CPUTIME_ID
  var used = timespec()
  #if os(Linux)
  guard unsafe process == 0 || clock_getcpuclockid(process, &clock) == 0 else { return nil }
  #else
  guard process == 0 else { return nil }
  #endif
  guard unsafe clock_gettime(clock, &used) == 0 else { return nil }
  return UInt64(used.tv_sec) * 1_000_000_000 + UInt64(used.tv_nsec)
}
