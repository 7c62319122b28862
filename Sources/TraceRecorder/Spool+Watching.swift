import CRLTraceShims
import TraceFormat

extension Spool {
  /// Opens the spool of a recording that is under way, for reading only. Follows no symbolic link. Throws if the file
  /// is not a complete spool.
  public convenience init(watching path: String) throws(TraceFormatError) {
    let (descriptor, bytes, extent) = try Spool.openFile(path, O_RDONLY | O_NOFOLLOW)
    defer { close(descriptor) }
    guard bytes >= extent.whole else { throw .cutShort(bytes: bytes, of: extent.whole) }
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
