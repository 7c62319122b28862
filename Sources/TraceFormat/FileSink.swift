import SystemPackage

/// One thread at a time. A file that has its final name only when it is whole: written as `NAME.part`, renamed by `commit`.
///
/// One that is let go of before `commit` leaves nothing.
/// One writer a name: `NAME.part` is locked while it is written, by a lock that ends with its process.
public final class FileSink: ByteSink, @unchecked Sendable {
  public static let partSuffix = ".part"

  private let path: FilePath
  private let partPath: FilePath
  private let descriptor: FileDescriptor
  private let isDurable: Bool
  private var isOpen = true

  /// Opens `path` + ".part" for writing; a symbolic link is followed. Throws `.system` when the folder refuses, or
  /// when something other than a file has the name: a device must not be replaced by a file. Throws `.nameTaken` when
  /// somebody else is writing it.
  /// One that is not `isDurable` may be lost in a power cut, and `commit` does not wait for the disk.
  public convenience init(path: String, isDurable: Bool = true) throws(TraceFormatError) {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      throw .system(what: "cannot write \(path)", code: isFolder ? EISDIR : EPERM)
    }
    try self.init(opening: path, at: FileSink.resolved(path), isDurable: isDurable, follows: true)
  }

  /// Opens a file for a recording. Nothing but an older trace is replaced, and no symbolic link followed: throws
  /// `.nameTaken` for what is no trace, and leaves it alone.
  ///
  /// `removesOlder`: the older trace goes at once, so that it cannot pass for this recording's when that ends without
  /// one.
  public convenience init(
    recording path: String, isDurable: Bool = true, removesOlder: Bool = false
  ) throws(TraceFormatError) {
    for name in [path, path + FileSink.partSuffix] {
      if let obstacle = FileSink.obstacle(name) {
        throw .nameTaken(what: "cannot record to \(path): \(name == path ? "it" : name) \(obstacle)")
      }
    }
    try self.init(opening: path, at: path, isDurable: isDurable, follows: false)
    if removesOlder { unlink(path) }
  }

  private init(opening name: String, at path: String, isDurable: Bool, follows: Bool) throws(TraceFormatError)
  {
    guard !path.isEmpty else { throw .system(what: "cannot write to an empty name", code: ENOENT) }
    self.isDurable = isDurable
    self.path = FilePath(path)
    partPath = FilePath(path + FileSink.partSuffix)
    var options: FileDescriptor.OpenOptions = [.create, .closeOnExec]
    if !follows { options.insert(.noFollow) }
    while true {
      let opened: FileDescriptor
      do {
        opened = try FileDescriptor.open(
          partPath, .writeOnly, options: options, permissions: FilePermissions(rawValue: 0o644))
      } catch {
        throw TraceFormatError.system(.other(what: "cannot write \(name)"), error)
      }
      // Where the file system has no locks it goes without.
      if flock(opened.rawValue, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
        try? opened.close()
        throw .nameTaken(what: "cannot write \(name): another process is writing it")
      }
      // A writer that just finished may have renamed what was opened here.
      if FileSink.isSame(opened, partPath.string) {
        descriptor = opened
        break
      }
      try? opened.close()
    }
    _ = ftruncate(descriptor.rawValue, 0)
  }

  private static func isSame(_ descriptor: FileDescriptor, _ path: String) -> Bool {
    var opened = stat()
    var named = stat()
    guard fstat(descriptor.rawValue, &opened) == 0 else { return true }
    return stat(path, &named) == 0 && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino
  }

  /// What a recording is not to replace, as the end of a sentence; nil when the name is free or a trace has it.
  private static func obstacle(_ path: String) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      return status.st_size == 0 || TraceFile.isTrace(path)
        ? nil : "is no trace, and only traces are replaced"
    case S_IFDIR: return "is a folder"
    case S_IFLNK: return "is a symbolic link, which is not followed"
    default: return "is no file"
    }
  }

  /// The file behind a symbolic link, `path` itself where there is none.
  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  deinit { discard() }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(TraceFormatError) {
    guard isOpen else { throw .system(what: "cannot write \(path)", code: EBADF) }
    do { try descriptor.writeAll(bytes) } catch { throw .system(.other(what: "cannot write \(path)"), error) }
  }

  public func commit() throws(TraceFormatError) {
    guard isOpen else { throw .system(what: "cannot write \(path)", code: EBADF) }
    isOpen = false
    // A name that survives a power cut must not stand on bytes that do not. Not every file system can; then
    // closing tells what is wrong.
    if isDurable { _ = fsync(descriptor.rawValue) }
    // Another descriptor keeps the lock until the file has its name.
    let lock = try? descriptor.duplicate()
    defer { try? lock?.close() }
    do { try descriptor.close() } catch {
      unlink(partPath.string)
      throw .system(.other(what: "cannot close \(path)"), error)
    }
    guard rename(partPath.string, path.string) == 0 else {
      let code = errno
      unlink(partPath.string)
      throw .system(what: "cannot rename \(partPath) to \(path)", code: code)
    }
  }

  public func discard() {
    guard isOpen else { return }
    isOpen = false
    unlink(partPath.string)
    try? descriptor.close()
  }
}
