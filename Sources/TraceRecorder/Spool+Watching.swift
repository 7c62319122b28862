import CRLTraceShims
import TraceFormat

extension Spool {
  /// Opens the spool of a recording that is under way, for reading only. Follows no symbolic link. Throws if the file
  /// is not a complete spool.
  public convenience init(watching path: String) throws(TraceFormatError) {
    let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(what: "cannot open", code: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .system(what: "cannot open", code: EINVAL)
    }
    guard let extent = Spool.extent(descriptor) else { throw .notASpool }
    guard status.st_size >= extent.whole else {
      throw .cutShort(bytes: Int(status.st_size), of: extent.whole)
    }
    guard let memory = unsafe rlt_map_read_only(extent.whole, descriptor) else {
      throw .system(what: "cannot map \(path)", code: errno)
    }
    guard unsafe rlt_spool_is_sound(memory, UInt64(extent.whole)) != 0 else {
      unsafe munmap(memory, extent.whole)
      throw .notASpool
    }
    unsafe self.init(memory: memory, byteCount: extent.whole, path: path, isReadOnly: true)
  }
}
