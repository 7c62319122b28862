/// A buffer that grows and is used again.
struct RawBuffer: ~Copyable {
  private var storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 64)

  deinit { storage.deallocate() }

  mutating func room(_ count: Int) -> UnsafeMutableRawBufferPointer {
    if storage.count < count {
      // At least doubled: blocks that grow a little each time would touch new memory each time.
      let size = max(count, 2 * storage.count, 4096)
      storage.deallocate()
      storage = .allocate(byteCount: size, alignment: 64)
    }
    return UnsafeMutableRawBufferPointer(rebasing: storage[..<count])
  }

  /// Fills from `source`; the result is shorter than `count` at the end of the source only. `slack` bytes
  /// behind it are readable.
  mutating func fill(
    from source: any ByteSource, at offset: UInt64, count: Int, slack: Int = 0
  ) throws(TraceFormatError) -> Slice<UnsafeRawBufferPointer> {
    let target = UnsafeMutableRawBufferPointer(rebasing: room(count + slack)[..<count])
    let read = try source.read(at: offset, into: target)
    return UnsafeRawBufferPointer(target)[..<read]
  }
}
