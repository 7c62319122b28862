import TraceFormat

/// One recovery of a spool at a time, and none of what somebody else writes. Where the file system has no locks it goes
/// without.
struct RecoveryLock {
  private let descriptor: Int32

  /// Throws `.busy` when another recovery is under way, or was, or the recording itself.
  init(_ spool: Spool, trace: String) throws(TraceFormatError) {
    guard let path = spool.path else {
      descriptor = -1
      return
    }
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    self.descriptor = descriptor
    let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
    let obstacle =
      !isLocked || spool.isTakenAway
      ? "another process recovers it"
      : FileSink.isBeingWritten(recording: trace) ? "its recorder still writes \(trace)" : nil
    guard let obstacle else { return }
    end()
    throw .busy(what: obstacle)
  }

  func end() { if descriptor >= 0 { close(descriptor) } }
}
