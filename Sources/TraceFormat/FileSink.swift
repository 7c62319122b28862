import SystemPackage

/// One thread at a time. A file that has its final name only when it is whole. Until `commit` it has a name of its own,
/// made exclusively: nobody's file, link or pipe is ever written through. The umask decides who may read it; a file that
/// replaces another one has the permissions of that one, and is its owner's alone until `commit`.
///
/// One that is let go of before `commit` leaves nothing.
public final class FileSink: ByteSink, @unchecked Sendable {
  public static let partSuffix = ".part"

  /// Called when a recording is complete, before it takes the name.
  public typealias MakesWay = @Sendable (_ name: String) throws(TraceFormatError) -> Void

  private let path: FilePath
  private let partPath: FilePath
  private let descriptor: FileDescriptor
  private let isDurable: Bool
  /// That of the file which is replaced.
  private var mode: mode_t?
  /// A recording that cannot be completed is not thrown away.
  private let keepsPart: Bool
  /// Renames the older trace.
  private let makesWay: MakesWay?
  private var isOpen = true
  /// Bytes that were written. A failed attempt may have left more behind them: `hasTail`.
  private var byteCount: Int64 = 0
  private var hasTail = false

  /// Opens a file of some name in the folder of `path`; a symbolic link is followed. Throws `.system` when the folder
  /// refuses, or when something other than a file has the name `path`: a device must not be replaced by a file. Of a file
  /// that is replaced the permissions stay.
  ///
  /// One that is not `isDurable` may be lost in a power cut, and `commit` does not wait for the disk.
  public init(path: String, isDurable: Bool = true) throws(TraceFormatError) {
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
    makesWay = nil
    self.path = FilePath(FileSink.resolved(path))
    while true {
      let name = FileSink.temporaryName(of: self.path)
      if let opened = try FileSink.make(name, for: path, isPrivate: mode != nil) {
        (partPath, descriptor) = (name, opened)
        return
      }
    }
  }

  /// Opens `NAME.part` for a recording. Only an older trace is replaced, and no symbolic link is followed: throws
  /// `.nameTaken` for what is no trace, and leaves it alone.
  ///
  /// One recording per name: `NAME.part` is locked while it is written, by a lock that ends with its process. It keeps its
  /// name when the process is killed, so that what was written is found.
  ///
  /// `removesOlder`: the older trace goes at once, so that it cannot pass for this recording's when that ends without
  /// one. `makesWay`: the older trace stays until this one is complete, and is renamed then. Else it is replaced.
  public init(
    recording path: String, isDurable: Bool = true, removesOlder: Bool = false, makesWay: MakesWay? = nil
  ) throws(TraceFormatError) {
    guard !path.isEmpty else { throw .system(what: "cannot write to an empty name", code: ENOENT) }
    self.isDurable = isDurable
    keepsPart = true
    self.makesWay = makesWay
    self.path = FilePath(path)
    partPath = FilePath(path + FileSink.partSuffix)
    descriptor = try FileSink.takeName(partPath, of: path)
    // From here on, what throws leaves nothing: this is whole.
    if removesOlder { try FileSink.remove(path, of: path) }
  }

  /// Between one look and the next somebody else may take the name, or give it up: but not for ever.
  private static let attempts = 100

  /// Makes the file `part`, and locks it.
  private static func takeName(_ part: FilePath, of path: String) throws(TraceFormatError) -> FileDescriptor {
    for _ in 0..<attempts {
      for name in [path, part.string] {
        if let obstacle = obstacle(name) {
          throw .nameTaken(what: "cannot record to \(path): \(name == path ? "it" : name) \(obstacle)")
        }
      }
      try removeLeft(part, of: path)
      guard let made = try make(part, for: path) else { continue }
      // Between the two, somebody else may have locked it and found that it is not in use.
      if lock(made), isSame(made, part) { return made }
      try? made.close()
    }
    throw .nameTaken(what: "cannot record to \(path): somebody makes and removes \(part) all the time")
  }

  /// Removes what is to make way for the recording `path`. In a folder like /tmp only its owner may.
  package static func remove(_ name: String, of path: String) throws(TraceFormatError) {
    guard unlink(name) != 0, errno != ENOENT else { return }
    let reason = String(cString: strerror(errno))
    throw .nameTaken(
      what: "cannot record to \(path): \(name == path ? "it" : name) cannot be removed: \(reason)")
  }

  /// Makes a file that was not there. Nil when one is.
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

  /// A name that nobody can know before: 64 random bits. Hidden, beside the file it will be.
  private static func temporaryName(of path: FilePath) -> FilePath {
    let number = String(UInt64.random(in: 0 ... .max), radix: 36)
    // Names have at most 255 bytes.
    let name = String(decoding: (path.lastComponent?.string ?? "").utf8.prefix(200), as: UTF8.self)
    return path.removingLastComponent().appending(".\(name).\(number)\(partSuffix)")
  }

  /// Removes what an earlier writer left. Throws when it is still writing, and when it cannot be removed.
  private static func removeLeft(_ part: FilePath, of path: String) throws(TraceFormatError) {
    let left: FileDescriptor
    switch openLeft(part) {
    case .success(let found): left = found
    case .failure(let error):
      // Of one that is not there, making it says what is the matter.
      guard FileIdentity(path: part.string) != nil else { return }
      throw .nameTaken(what: "cannot record to \(path): \(part) cannot be opened: \(error)")
    }
    defer { try? left.close() }
    guard lock(left) else {
      throw .nameTaken(what: "cannot write \(path): another process is writing it")
    }
    if isSame(left, part) { try remove(part.string, of: path) }
  }

  /// Whether somebody is writing the recording `path`.
  package static func isBeingWritten(recording path: String) -> Bool {
    guard case .success(let part) = openLeft(FilePath(path + partSuffix)) else { return false }
    defer { try? part.close() }
    return !lock(part)
  }

  /// A file to be locked, if there is one. A pipe that took its name would keep us waiting.
  private static func openLeft(_ part: FilePath) -> Result<FileDescriptor, Errno> {
    do {
      return .success(
        try FileDescriptor.open(part, .readOnly, options: [.noFollow, .nonBlocking, .closeOnExec]))
    } catch {
      return .failure(error as? Errno ?? .ioError)
    }
  }

  /// Whether it is locked now. Where the file system has no locks it goes without.
  private static func lock(_ file: FileDescriptor) -> Bool {
    flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
  }

  private static func isSame(_ descriptor: FileDescriptor, _ path: FilePath) -> Bool {
    guard let opened = FileIdentity(descriptor: descriptor.rawValue) else { return true }
    return FileIdentity(path: path.string) == opened
  }

  /// What a recording is not to replace, as the end of a sentence; nil when the name is free or a trace has it.
  package static func obstacle(_ path: String) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      if status.st_size == 0 || TraceFile.isTrace(path) { return nil }
      // What cannot be read may be anything.
      guard access(path, R_OK) == 0 else { return "cannot be opened: \(String(cString: strerror(errno)))" }
      return "is no trace, and only traces are replaced"
    case S_IFDIR: return "is a folder"
    case S_IFLNK: return "is a symbolic link, which is not followed"
    default: return "is no file"
    }
  }

  /// Why this process may not rename a file, as the system says it; nil when nothing speaks against it. In a folder like
  /// /tmp, only the owner of the file or of the folder may.
  package static func obstacleToRenaming(_ path: String) -> String? {
    let sticky: mode_t = 0o1000
    var (file, folder) = (stat(), stat())
    guard lstat(path, &file) == 0, file.st_mode & S_IFMT == S_IFREG,
      stat(TraceFile.folder(of: path), &folder) == 0, folder.st_mode & sticky != 0,
      ![file.st_uid, folder.st_uid].contains(geteuid())
    else { return nil }
    // The system asks for the same right here, and nothing changes.
    guard chmod(path, file.st_mode & 0o7777) != 0 else { return nil }
    return String(cString: strerror(errno))
  }

  /// The file behind a symbolic link, `path` itself where there is none.
  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// What a recording wrote goes only where somebody says so.
  deinit { keepsPart && byteCount > 0 ? leave() : discard() }

  /// The file's name until `commit`.
  public var workingName: String { partPath.string }

  /// Of bytes that cannot be written, none are: the file ends where it did, and the same may be tried again.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(TraceFormatError) {
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

  /// Where every change of a file takes room, it cannot even be cut on a full disk: later, then.
  private func cutTail() throws {
    guard hasTail else { return }
    guard ftruncate(descriptor.rawValue, off_t(byteCount)) == 0 else { throw Errno(rawValue: errno) }
    try descriptor.seek(offset: byteCount, from: .start)
    hasTail = false
  }

  /// A recording that could not be given its name may be committed again.
  public func commit() throws(TraceFormatError) {
    guard isOpen else { throw .system(what: "cannot write \(path)", code: EBADF) }
    try makesWay?(path.string)
    guard FileSink.isSame(descriptor, partPath) else { return try commitCopy() }
    do throws(TraceFormatError) { try takeFinalName() } catch {
      if !keepsPart { discard() }
      throw error
    }
    // Its lock ends when it has its name.
    isOpen = false
    try? descriptor.close()
  }

  private func takeFinalName() throws(TraceFormatError) {
    do {
      try cutTail()
      if let mode { fchmod(descriptor.rawValue, mode) }
      // A name that survives a power cut must not stand on bytes that do not. Not every file system can do that; then
      // closing a descriptor tells what is wrong, any one.
      if isDurable, fsync(descriptor.rawValue) != 0, FileSink.saysLoss(errno) { throw Errno(rawValue: errno) }
      try descriptor.duplicate().close()
    } catch {
      throw .system(.other(what: "cannot write \(path)"), error)
    }
    guard rename(partPath.string, path.string) == 0 else {
      throw .system(what: "cannot rename \(partPath) to \(path)", code: errno)
    }
  }

  /// Whether bytes did not get to the disk, and not only the question is unknown there.
  private static func saysLoss(_ code: Int32) -> Bool { [EIO, ENOSPC, EDQUOT].contains(code) }

  /// Somebody removed the file, or gave its name to another one, which is not ours to rename: what was written is read
  /// from the open file.
  private func commitCopy() throws(TraceFormatError) {
    defer { leave() }
    // As at the beginning of a recording: this way follows links.
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
        throw .system(.other(what: "cannot read what was written of \(path)"), error)
      }
      guard count > 0 else { throw .system(what: "somebody cut what was written of \(path)", code: EIO) }
      try copy.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += Int64(count)
    }
    try copy.commit()
  }

  public func discard() {
    guard isOpen else { return }
    isOpen = false
    if FileSink.isSame(descriptor, partPath) { unlink(partPath.string) }
    try? descriptor.close()
  }

  public func leave() {
    guard isOpen else { return }
    isOpen = false
    try? descriptor.close()
  }
}
