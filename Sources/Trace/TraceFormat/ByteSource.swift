import SystemPackage
import SystemSupport

/// The origin of a reader's bytes: a file or memory. Several threads may read concurrently.
public protocol ByteSource: AnyObject, Sendable {
  var size: UInt64 { get }
  /// Reads up to `into.count` bytes at `offset`; fewer only at the end. Returns the number of bytes read.
  func read(at offset: UInt64, into: UnsafeMutableRawBufferPointer) throws(TraceFormatError) -> Int
  /// Returns the first offset, at `offset` or after it, that may hold nonzero bytes; nil when only zeros follow.
  func data(from offset: UInt64) -> UInt64?
}

extension ByteSource {
  /// Returns `offset`: the source may hold nonzero bytes anywhere.
  public func data(from offset: UInt64) -> UInt64? { offset }
}

/// Bytes in memory.
package final class MemorySource: ByteSource {
  private let bytes: [UInt8]
  package init(_ bytes: [UInt8]) { self.bytes = bytes }
  package var size: UInt64 { UInt64(bytes.count) }

  package func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) -> Int {
    guard offset < size else { return 0 }
    let count = min(target.count, bytes.count - Int(offset))
    target.copyBytes(from: bytes[Int(offset)..<(Int(offset) + count)])
    return count
  }
}

/// A regular file, read with pread(2). Memory mapping is no faster and counts as resident memory.
public final class FileSource: ByteSource {
  private let descriptor: FileDescriptor
  private let path: String
  /// The size of the file when it was opened, in bytes.
  public let size: UInt64

  /// Throws `.system` when the file cannot be opened or is not a regular file.
  public init(path: String) throws(TraceFormatError) {
    self.path = path
    do {
      // Non-blocking, so that opening a pipe does not wait for its writer. The option has no effect on regular files.
      descriptor = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
    } catch {
      throw .system(.opening, error)
    }
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else {
      let code = errno
      try? descriptor.close()
      throw .system(.reading, code: code)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      try? descriptor.close()
      throw .invalidInput(
        what: status.st_mode & S_IFMT == S_IFDIR
          ? "a folder; name a trace in it"
          : "not a regular file; a trace is read from both ends, so save it to a file first")
    }
    size = UInt64(status.st_size)
  }

  deinit { try? descriptor.close() }

  /// Skips holes. They cost nothing to create at any length, so reading them could take arbitrarily long.
  public func data(from offset: UInt64) -> UInt64? {
    let place = lseek(descriptor.rawValue, off_t(clamping: offset), seekData)
    if place >= 0 { return UInt64(place) }
    // Some file systems do not support this query.
    return errno == ENXIO ? nil : offset
  }

  /// Reads bytes as `ByteSource` requires. Throws `.system` when the system refuses.
  public func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) throws(TraceFormatError)
    -> Int
  {
    var done = 0
    do {
      while done < target.count {
        let count = try descriptor.read(
          fromAbsoluteOffset: Int64(offset) + Int64(done),
          into: UnsafeMutableRawBufferPointer(rebasing: target[done...]))
        if count == 0 { break }
        done += count
      }
    } catch {
      throw .system(.reading, error)
    }
    return done
  }
}
