/// A growing, reusable buffer.
struct RawBuffer: ~Copyable {
  private var storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 64)

  deinit { storage.deallocate() }

  mutating func room(_ count: Int) -> UnsafeMutableRawBufferPointer {
    if storage.count < count {
      // At least doubled. If blocks grow slowly, exact sizes would touch new memory for each of them.
      let size = max(count, 2 * storage.count, 4096)
      storage.deallocate()
      storage = .allocate(byteCount: size, alignment: 64)
    }
    return UnsafeMutableRawBufferPointer(rebasing: storage[..<count])
  }

  /// Fills the buffer from `source`. The result is shorter than `count` only at the end of the source. `slack` bytes
  /// after it are readable.
  mutating func fill(
    from source: any ByteSource, at offset: UInt64, count: Int, slack: Int = 0
  ) throws(TraceFormatError) -> Slice<UnsafeRawBufferPointer> {
    let target = UnsafeMutableRawBufferPointer(rebasing: room(count + slack)[..<count])
    let read = try source.read(at: offset, into: target)
    return UnsafeRawBufferPointer(target)[..<read]
  }
}
