/// How the bytes of a block are compressed.
public enum CodecID: UInt8, Sendable, Named {
  case none = 0
  case zstd = 1

  public var name: String { "\(self)" }
}

/// The seam behind which a compressor stands, so that a program may record and read without linking one.
///
/// One codec serves one thread at a time; it is called per column, never per event.
public protocol BlockCodec: AnyObject {
  var id: CodecID { get }

  /// Compresses `source` into `target`. Returns the bytes written, or 0 when that would not save space.
  func compress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int

  /// Decompresses a whole frame. Returns the bytes written, or nil when the frame is bad or does not fit.
  func decompress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int?

  /// Room that `compress` may need for `count` bytes.
  func bound(_ count: Int) -> Int
}

/// Stores bytes as they are.
public final class NoCodec: BlockCodec {
  public init() {}
  public var id: CodecID { .none }
  public func compress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int {
    0
  }
  public func decompress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int?
  { nil }
  public func bound(_ count: Int) -> Int { count }
}

/// Makes the codec for an id found in a file; nil = not linked into this program.
public typealias CodecProvider = @Sendable (CodecID) -> (any BlockCodec)?
