import SystemPackage
import SystemSupport

/// Writes a file that gets its final name only when it is complete. One thread at a time.
///
/// Until `commit`, the file has a name of its own and is created exclusively. So the sink never writes through an
/// existing file, link or pipe. The umask decides who may read the file. A file that replaces another one takes over
/// its permissions, and only its owner can access it until `commit`.
///
/// A sink that is released before `commit` removes its file, unless the file holds bytes of a recording.
package final class FileSink: ByteSink, @unchecked Sendable {
  package static let partSuffix = ".part"

  /// Called with the final name when a recording is complete, before the file takes that name.
  package typealias MakeRoom = @Sendable (_ name: String) throws(TraceFormatError) -> Void

  private let path: FilePath
  private let partPath: FilePath
  private let descriptor: FileDescriptor
  private let isDurable: Bool
  /// The permissions of the file that is replaced.
  private var mode: mode_t?
  /// Whether the written bytes stay when the file is never completed: true for recordings.
  private let keepsPart: Bool
  private let makeRoom: MakeRoom?
  private var isOpen = true
  /// The number of bytes written. A failed attempt may have left more after them; then `hasTail` is true.
  private var byteCount: Int64 = 0
  private var hasTail = false

  /// Creates a temporary file in the folder of `path`, or of its target if `path` is a symbolic link. Throws
  /// `.system` when the system refuses, or when `path` exists and is not a regular file: a device must not be
  /// replaced by a file. A replaced file's permissions are kept.
  ///
  /// If `isDurable` is false, the file may be lost in a power failure, and `commit` does not wait for the disk.
  package init(path: String, isDurable: Bool = true) throws(TraceFormatError) {
    guard !path.isEmpty else { throw .system(what: "cannot write to an empty name", code: ENOENT) }
    var status = stat()
    if stat(path, &status) == 0 {
      if status.st_mode & S_IFMT != S_IFREG {
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        throw .system(what: "cannot write \(path)", code: isFolder ? EISDIR : EPERM)
      }
      mode = status.st_mode & 0o777
    }
    self.isDurable = isDurable
    keepsPart = false
    makeRoom = nil
    self.path = FilePath(FileSink.resolved(path))
    while true {
      let name = FileSink.temporaryName(of: self.path)
      if let opened = try FileSink.make(name, for: path, isPrivate: mode != nil) {
        (partPath, descriptor) = (name, opened)
        return
      }
    }
  }

  /// Creates `NAME.part` for a recording. A recording replaces only an older trace, and follows no symbolic link.
  /// Throws `.nameTaken` when the name belongs to anything else, which stays untouched.
  ///
  /// Each name has one recording at a time: `NAME.part` is locked while it is written, and the lock ends with the
  /// process. The file keeps this name when the process is killed, so that the written bytes can be found.
  ///
  /// `removesOlder`: the older trace is removed at once, so that it cannot be mistaken for the result of this
  /// recording if the recording ends without a trace. `makeRoom`: the older trace stays until this one is complete, and
  /// is renamed then. Otherwise it is replaced.
  package init(
    recording path: String, isDurable: Bool = true, removesOlder: Bool = false, makeRoom: MakeRoom? = nil
  ) throws(TraceFormatError) {
    guard !path.isEmpty else { throw .system(what: "cannot write to an empty name", code: ENOENT) }
    self.isDurable = isDurable
    keepsPart = true
    self.makeRoom = makeRoom
    self.path = FilePath(path)
    partPath = FilePath(path + FileSink.partSuffix)
    descriptor = try FileSink.takeName(partPath, of: path)
    // All properties are set. If the next line throws, `deinit` removes the part.
    if removesOlder { try FileSink.remove(path, of: path) }
  }

  /// Another process may take or free the name between two checks, so each attempt may fail. Their number is limited.
  private static let attempts = 100

  package func unlock() { flock(descriptor.rawValue, LOCK_UN) }

  package func lock() { _ = FileSink.lock(descriptor) }

  /// Creates the file `part` and locks it.
  private static func takeName(_ part: FilePath, of path: String) throws(TraceFormatError) -> FileDescriptor {
    for _ in 0..<attempts {
      for name in [path, part.string] {
        if let obstacle = obstacle(name) {
          throw .nameTaken(what: "cannot record to \(path): \(name == path ? "it" : name) \(obstacle)")
        }
      }
      try removeLeft(part, of: path)
      guard let made = try make(part, for: path) else { continue }
      // Between the two calls, another process may have locked the file and removed it as unused.
      if lock(made), isSame(made, part) { return made }
      try? made.close()
    }
    throw .nameTaken(what: "cannot record to \(path): another process keeps creating and removing \(part)")
  }

  /// Removes a file to make way for the recording `path`. In a folder with the sticky bit, such as /tmp, only its
  /// owner may.
  package static func remove(_ name: String, of path: String) throws(TraceFormatError) {
    guard unlink(name) != 0, errno != ENOENT else { return }
    let reason = String(cString: strerror(errno))
    throw .nameTaken(
      what: "cannot record to \(path): \(name == path ? "it" : name) cannot be removed: \(reason)")
  }

  /// Creates a new file; nil when the name exists.
  private static func make(
    _ name: FilePath, for path: String, isPrivate: Bool = false
  ) throws(TraceFormatError) -> FileDescriptor? {
    do {
      return try FileDescriptor.open(
        name, .readWrite, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
        permissions: FilePermissions(rawValue: isPrivate ? 0o600 : 0o666))
    } catch Errno.fileExists {
      return nil
    } catch {
      throw .system(.other(what: "cannot write \(path)"), error)
    }
  }

  /// Returns an unpredictable name, with 64 random bits, for a hidden file in the same folder.
  private static func temporaryName(of path: FilePath) -> FilePath {
    let number = String(UInt64.random(in: 0 ... .max), radix: 36)
    // A name has at most 255 bytes.
    let name = String(decoding: (path.lastComponent?.string ?? "").utf8.prefix(200), as: UTF8.self)
    return path.removingLastComponent().appending(".\(name).\(number)\(partSuffix)")
  }

  /// Removes the part of an earlier writer. Throws when that writer is still at work, or when the part
  /// cannot be removed.
  private static func removeLeft(_ part: FilePath, of path: String) throws(TraceFormatError) {
    let left: FileDescriptor
    switch openLeft(part) {
    case .success(let found): left = found
    case .failure(let error):
      // If the part does not exist, creating it reports the reason.
      guard FileIdentity(path: part.string) != nil else { return }
      throw .nameTaken(what: "cannot record to \(path): \(part) cannot be opened: \(error)")
    }
    defer { try? left.close() }
    guard lock(left) else {
      throw .nameTaken(what: "cannot write \(path): another process is writing it")
    }
    if isSame(left, part) { try remove(part.string, of: path) }
  }

  /// Returns whether a process is writing the recording `path`.
  package static func isBeingWritten(recording path: String) -> Bool {
    guard case .success(let part) = openLeft(FilePath(path + partSuffix)) else { return false }
    defer { try? part.close() }
    return !lock(part)
  }

  /// Opens an existing part, to lock it. Non-blocking, because opening a pipe of that name would wait.
  private static func openLeft(_ part: FilePath) -> Result<FileDescriptor, Errno> {
    do {
      return .success(
        try FileDescriptor.open(part, .readOnly, options: [.noFollow, .nonBlocking, .closeOnExec]))
    } catch {
      return .failure(error as? Errno ?? .ioError)
    }
  }

  /// Locks the file; false when another process holds the lock. Succeeds on file systems without locks.
  private static func lock(_ file: FileDescriptor) -> Bool {
    flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
  }

  private static func isSame(_ descriptor: FileDescriptor, _ path: FilePath) -> Bool {
    guard let opened = FileIdentity(descriptor: descriptor.rawValue) else { return true }
    return FileIdentity(path: path.string) == opened
  }

  /// Returns why a recording must not replace the file, as the end of a sentence. Nil when the name is free, or
  /// belongs to a trace or an empty file.
  package static func obstacle(_ path: String) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      if status.st_size == 0 || TraceFile.isTrace(path) { return nil }
      // A file that cannot be read may be anything.
      guard access(path, R_OK) == 0 else { return "cannot be opened: \(String(cString: strerror(errno)))" }
      return "is not a trace, and only traces are replaced"
    case S_IFDIR: return "is a folder"
    case S_IFLNK: return "is a symbolic link, which is not followed"
    default: return "is not a regular file"
    }
  }

  /// Returns why this process may not rename a file, in the system's words; nil when nothing prevents it. In a folder
  /// with the sticky bit, such as /tmp, only the owner of the file or of the folder may.
  package static func obstacleToRenaming(_ path: String) -> String? {
    let sticky: mode_t = 0o1000
    var (file, folder) = (stat(), stat())
    guard lstat(path, &file) == 0, file.st_mode & S_IFMT == S_IFREG,
      stat(Files.folder(of: path), &folder) == 0, folder.st_mode & sticky != 0,
      ![file.st_uid, folder.st_uid].contains(geteuid())
    else { return nil }
    // chmod requires the same right, and changes nothing when the mode stays the same.
    guard chmod(path, file.st_mode & 0o7777) != 0 else { return nil }
    return String(cString: strerror(errno))
  }

  /// Resolves symbolic links. Returns `path` itself when it does not exist.
  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// The bytes of a recording are removed only on request.
  deinit { keepsPart && byteCount > 0 ? leave() : discard() }

  /// The file's name before `commit`.
  package var workingName: String { partPath.string }

  /// Writes all bytes or none: after an error the file ends where it did before, and the caller may
  /// try again.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(TraceFormatError) {
    guard isOpen else { throw .system(what: "cannot write \(path)", code: EBADF) }
    do {
      try cutTail()
      hasTail = true
      try descriptor.writeAll(bytes)
      byteCount += Int64(bytes.count)
      hasTail = false
    } catch {
      try? cutTail()
      throw .system(.other(what: "cannot write \(path)"), error)
    }
  }

  /// Cuts off what a failed write left. On a full disk, some file systems cannot shorten a file; then the next call
  /// tries again.
  private func cutTail() throws {
    guard hasTail else { return }
    guard ftruncate(descriptor.rawValue, off_t(byteCount)) == 0 else { throw Errno(rawValue: errno) }
    try descriptor.seek(offset: byteCount, from: .start)
    hasTail = false
  }

  /// Completes the file. If a recording cannot get its name, the caller may try again.
  package func commit() throws(TraceFormatError) {
    guard isOpen else { throw .system(what: "cannot write \(path)", code: EBADF) }
    try makeRoom?(path.string)
    guard FileSink.isSame(descriptor, partPath) else { return try commitCopy() }
    do throws(TraceFormatError) { try takeFinalName() } catch {
      if !keepsPart { discard() }
      throw error
    }
    // The lock is released only after the file has its name.
    isOpen = false
    try? descriptor.close()
  }

  private func takeFinalName() throws(TraceFormatError) {
    do {
      try cutTail()
      if let mode { fchmod(descriptor.rawValue, mode) }
      // The name must not survive a power cut without its bytes. Some file systems do not support fsync; there,
      // closing any descriptor of the file reports write errors.
      if isDurable, fsync(descriptor.rawValue) != 0, FileSink.saysLoss(errno) { throw Errno(rawValue: errno) }
      try descriptor.duplicate().close()
    } catch {
      throw .system(.other(what: "cannot write \(path)"), error)
    }
    guard rename(partPath.string, path.string) == 0 else {
      throw .system(what: "cannot rename \(partPath) to \(path)", code: errno)
    }
  }

  /// Returns whether an error of fsync means that bytes were not written, rather than that the call is not supported.
  private static func saysLoss(_ code: Int32) -> Bool { [EIO, ENOSPC, EDQUOT].contains(code) }

  /// Copies the written bytes from the open file. Called when the part was removed, or when its name belongs to
  /// another file, which must not be renamed.
  private func commitCopy() throws(TraceFormatError) {
    defer { leave() }
    // Checked as at the beginning of the recording, because the copy follows links.
    if keepsPart, let obstacle = FileSink.obstacle(path.string) {
      throw .nameTaken(what: "cannot record to \(path): it \(obstacle)")
    }
    let copy = try FileSink(path: path.string, isDurable: isDurable)
    if let mode { copy.mode = mode }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while offset < byteCount {
      let count: Int
      do { count = try descriptor.read(fromAbsoluteOffset: offset, into: buffer) } catch {
        throw .system(.other(what: "cannot read back the data of \(path)"), error)
      }
      guard count > 0 else { throw .system(what: "another process truncated the data of \(path)", code: EIO) }
      try copy.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += Int64(count)
    }
    try copy.commit()
  }

  package func discard() {
    guard isOpen else { return }
    isOpen = false
    if FileSink.isSame(descriptor, partPath) { unlink(partPath.string) }
    try? descriptor.close()
  }

  package func leave() {
    guard isOpen else { return }
    isOpen = false
    try? descriptor.close()
  }
}
