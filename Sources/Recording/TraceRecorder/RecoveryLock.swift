import SystemSupport
import TraceFormat

/// A lock that allows one recovery of a spool at a time, and none while a recorder still writes. On a file system
/// without locks it has no effect.
struct RecoveryLock {
  private let descriptor: Int32

  /// Takes the lock. Throws `.busy` if another recovery is running or has finished, or if the recording is still
  /// running.
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
      ? "another process is recovering it"
      : FileSink.isBeingWritten(recording: trace) ? "its recorder is still writing \(trace)" : nil
    guard let obstacle else { return }
    end()
    throw .busy(what: obstacle)
  }

  func end() { if descriptor >= 0 { close(descriptor) } }
}
