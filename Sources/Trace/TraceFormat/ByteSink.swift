import SystemPackage

/// The destination of a writer's bytes: a file or memory.
public protocol ByteSink: AnyObject {
  func write(_ bytes: UnsafeRawBufferPointer) throws(TraceFormatError)
  /// Makes the written bytes durable under their final name.
  func commit() throws(TraceFormatError)
  /// Discards the written bytes.
  func discard()
  /// Ends without completing the file. The written bytes stay, so that another writer can complete them.
  func leave()
  /// Releases the lock on the file while nothing is written, and takes it again before the next write. Sinks
  /// without a lock do nothing.
  func unlock()
  func lock()
}

extension ByteSink {
  /// Does nothing: the sink has no lock.
  public func unlock() {}
  /// Does nothing: the sink has no lock.
  public func lock() {}

  package func write(_ bytes: [UInt8]) throws(TraceFormatError) {
    // `withUnsafeBytes` does not carry typed throws through an existential call.
    let failure = bytes.withUnsafeBytes { buffer -> TraceFormatError? in
      do throws(TraceFormatError) { try write(buffer) } catch { return error }
      return nil
    }
    if let failure { throw failure }
  }
}

/// Bytes in memory, for tests and small traces. One thread at a time.
package final class MemorySink: ByteSink, @unchecked Sendable {
  package private(set) var bytes: [UInt8] = []
  package init() {}
  package func write(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }
  package func commit() {}
  package func discard() { bytes = [] }
  package func leave() {}
}

extension TraceFormatError {
  static func system(_ operation: Operation, _ error: any Error) -> TraceFormatError {
    .system(operation, code: (error as? Errno)?.rawValue ?? 0)
  }
}
