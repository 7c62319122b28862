import CRLTraceShims
import SystemSupport
import TraceFormat

extension Spool {
  /// Opens a spool file that another process made. Throws if the file is not a spool or is not complete. `privately`:
  /// changes stay in this process, and the file may lack rings at its end that were never used. `isGuarded`: whether
  /// a handler of SIGBUS lets this process survive a truncation of the file.
  package convenience init(
    opening path: String, privately: Bool = false, isGuarded: Bool = true
  ) throws(TraceFormatError) {
    let (descriptor, fileBytes, extent) = try Spool.openFile(path, O_RDWR)
    defer { close(descriptor) }
    let byteCount = max(fileBytes, extent.whole)
    guard fileBytes >= (privately ? extent.used : extent.whole) else {
      throw .cutShort(bytes: fileBytes, of: extent.whole)
    }
    let memory =
      unsafe fileBytes >= extent.whole
      ? try Spool.map(descriptor, byteCount, path, privately ? MAP_PRIVATE : MAP_SHARED)
      : try Spool.mapCut(descriptor, fileBytes, byteCount, path)
    guard unsafe rlt_spool_is_sound(memory, UInt64(byteCount)) != 0 else {
      unsafe munmap(memory, byteCount)
      throw .notASpool
    }
    unsafe self.init(
      memory: memory, byteCount: byteCount, path: path, isPrivate: privately, isGuarded: isGuarded)
  }

  /// Opens a regular file that begins like a spool, without waiting for another process. Returns its size, and the
  /// sizes that its header states. The caller closes it.
  private static func openFile(
    _ path: String, _ flags: Int32
  ) throws(TraceFormatError) -> (descriptor: Int32, bytes: Int, extent: (whole: Int, used: Int)) {
    let descriptor = unsafe open(path, flags | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(what: "cannot open", code: errno) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .system(what: "cannot open", code: EINVAL)
    }
    guard let extent = Spool.extent(descriptor) else {
      close(descriptor)
      throw .notASpool
    }
    return (descriptor, Int(status.st_size), extent)
  }

  /// Returns the size that the header of a spool states, and the size of its used part: no ring after that part was
  /// ever handed out. Returns nil if the file has no sound header.
  private static func extent(_ descriptor: Int32) -> (whole: Int, used: Int)? {
    var page = [UInt64](repeating: 0, count: RLT_SPOOL_HEADER_BYTES / 8)
    return unsafe page.withUnsafeMutableBytes { page in
      guard unsafe pread(descriptor, page.baseAddress!, page.count, 0) > 0,
        unsafe rlt_spool_is_sound(page.baseAddress!, .max) != 0
      else { return nil }
      let header = unsafe page.load(as: rlt_spool.self)
      let rings = min(header.rings_used, UInt32(ringCount))
      return (Int(header.bytes), Int(rlt_spool_slots_offset(header.slots_per_ring, rings)))
    }
  }

  /// Maps a file that lacks its end, with zeros in place of the end.
  private static func mapCut(
    _ descriptor: Int32, _ fileBytes: Int, _ byteCount: Int, _ path: String
  ) throws(TraceFormatError) -> UnsafeMutableRawPointer {
    let memory = try unsafe map(-1, byteCount, path, MAP_PRIVATE | MAP_ANONYMOUS)
    guard unsafe rlt_map(memory, fileBytes, MAP_PRIVATE | MAP_FIXED, descriptor) == memory else {
      let code = errno
      unsafe munmap(memory, byteCount)
      throw .system(what: "cannot map \(path)", code: code)
    }
    return unsafe memory
  }

  private static func map(
    _ descriptor: Int32, _ byteCount: Int, _ path: String, _ flags: Int32
  ) throws(TraceFormatError) -> UnsafeMutableRawPointer {
    guard let memory = unsafe rlt_map(nil, byteCount, flags, descriptor) else {
      throw .system(what: "cannot map \(path)", code: errno)
    }
    return unsafe memory
  }

  /// Opens the spool of a recording that is under way, for reading only. Follows no symbolic link. Throws if the file
  /// is not a complete spool.
  package convenience init(watching path: String) throws(TraceFormatError) {
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
