import SystemPackage

/// Where a writer puts its bytes: a file or memory.
public protocol ByteSink: AnyObject {
  func write(_ bytes: UnsafeRawBufferPointer) throws(TraceFormatError)
  /// Makes what was written durable under its final name.
  func commit() throws(TraceFormatError)
  /// Drops what was written.
  func discard()
}

extension ByteSink {
  public func write(_ bytes: [UInt8]) throws(TraceFormatError) {
    // `withUnsafeBytes` does not carry typed throws through an existential call.
    let failure = bytes.withUnsafeBytes { buffer -> TraceFormatError? in
      do throws(TraceFormatError) { try write(buffer) } catch { return error }
      return nil
    }
    if let failure { throw failure }
  }
}

/// Bytes in memory, for tests and small traces. One thread at a time.
public final class MemorySink: ByteSink, @unchecked Sendable {
  public private(set) var bytes: [UInt8] = []
  public init() {}
  public func write(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }
  public func commit() {}
  public func discard() { bytes = [] }
}

/// One thread at a time. A file that has its final name only when it is whole: written as `NAME.part`, renamed by `commit`.
public final class FileSink: ByteSink, @unchecked Sendable {
  public static let partSuffix = ".part"

  private let path: FilePath
  private let partPath: FilePath
  private let descriptor: FileDescriptor
  private let isDurable: Bool
  private var isOpen = true

  /// Opens `path` + ".part" for writing; a symbolic link is followed. Throws `.system` when the folder refuses, or
  /// when something other than a file has the name: a device must not be replaced by a file.
  /// One that is not `isDurable` may be lost in a power cut, and `commit` does not wait for the disk.
  public init(path: String, isDurable: Bool = true) throws(TraceFormatError) {
    self.isDurable = isDurable
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      throw .system(what: "cannot write \(path)", code: isFolder ? EISDIR : EPERM)
    }
    guard !path.isEmpty else { throw .system(what: "cannot write to an empty name", code: ENOENT) }
    self.path = FilePath(FileSink.resolved(path))
    partPath = FilePath(self.path.string + FileSink.partSuffix)
    do {
      descriptor = try FileDescriptor.open(
        partPath, .writeOnly, options: [.create, .truncate, .closeOnExec],
        permissions: FilePermissions(rawValue: 0o644))
    } catch {
      throw TraceFormatError.system(what: "cannot write \(path)", error)
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
    do { try descriptor.writeAll(bytes) } catch { throw .system(what: "cannot write \(path)", error) }
  }

  public func commit() throws(TraceFormatError) {
    guard isOpen else { throw .system(what: "cannot write \(path)", code: EBADF) }
    isOpen = false
    // A name that survives a power cut must not stand on bytes that do not. Not every file system can; then
    // closing tells what is wrong.
    if isDurable { _ = fsync(descriptor.rawValue) }
    do { try descriptor.close() } catch {
      unlink(partPath.string)
      throw .system(what: "cannot close \(path)", error)
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
    try? descriptor.close()
    unlink(partPath.string)
  }
}

extension TraceFormatError {
  static func system(what: String, _ error: any Error) -> TraceFormatError {
    .system(what: what, code: (error as? Errno)?.rawValue ?? 0)
  }
}
