/// The compression of a block's bytes.
public enum CodecID: UInt8, Sendable, Named {
  case none = 0
  case zstd = 1

  package var name: String { "\(self)" }
}

/// A compressor. Programs can record and read traces without linking one.
///
/// A codec serves one thread at a time. It is called per column, never per event.
public protocol BlockCodec: AnyObject {
  var id: CodecID { get }

  /// Compresses `source` into `target`. Returns the number of bytes written, or 0 when compression would save no
  /// space.
  func compress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int

  /// Decompresses a whole frame. Returns the number of bytes written, or nil when the frame is bad or does not fit.
  func decompress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int?

  /// Returns the room that `compress` may need for `count` bytes.
  func bound(_ count: Int) -> Int
}

/// The codec of uncompressed traces.
@usableFromInline package final class NoCodec: BlockCodec {
  @usableFromInline package init() {}
  @usableFromInline package var id: CodecID { .none }
  @usableFromInline package func compress(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) -> Int { 0 }
  @usableFromInline package func decompress(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) -> Int? { nil }
  @usableFromInline package func bound(_ count: Int) -> Int { count }
}

/// Creates the codec for an id found in a file; nil = not linked into this program.
public typealias CodecProvider = @Sendable (CodecID) -> (any BlockCodec)?
