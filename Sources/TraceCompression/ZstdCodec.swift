import CRLTraceZstd
import TraceFormat

/// zstd behind TraceFormat's codec seam. Contexts are kept: making one costs more than compressing a column.
public final class ZstdCodec: BlockCodec {
  /// Level 1: at higher levels the columns shrink by less than 2 % and cost several times as much.
  public static let defaultLevel: Int32 = 1

  private let level: Int32
  private let compressor: OpaquePointer
  private let decompressor: OpaquePointer

  /// Nil when zstd cannot allocate its contexts.
  public init?(level: Int32 = ZstdCodec.defaultLevel) {
    guard let compressor = ZSTD_createCCtx(), let decompressor = ZSTD_createDCtx() else { return nil }
    self.level = level
    self.compressor = compressor
    self.decompressor = decompressor
  }

  deinit {
    ZSTD_freeCCtx(compressor)
    ZSTD_freeDCtx(decompressor)
  }

  public var id: CodecID { .zstd }

  public func bound(_ count: Int) -> Int { ZSTD_compressBound(count) }

  public func compress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int {
    let size = ZSTD_compressCCtx(
      compressor, target.baseAddress, target.count, source.baseAddress, source.count, level)
    return ZSTD_isError(size) != 0 ? 0 : size
  }

  public func decompress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int?
  {
    let size = ZSTD_decompressDCtx(
      decompressor, target.baseAddress, target.count, source.baseAddress, source.count)
    return ZSTD_isError(size) != 0 ? nil : size
  }
}

/// Every codec this project has.
public let allCodecs: CodecProvider = { $0 == .zstd ? ZstdCodec() : NoCodec() }
