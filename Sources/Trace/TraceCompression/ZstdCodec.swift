import CRLTraceZstd
import TraceFormat

/// The zstd codec. It keeps its contexts, because creating one costs more than compressing a column.
package final class ZstdCodec: BlockCodec {
  /// Level 1. Higher levels shrink the columns by less than 2 % more and take several times as long.
  package static let defaultLevel: Int32 = 1

  private let level: Int32
  private let compressor: Compressor
  private let decompressor: Decompressor

  /// Nil when zstd cannot allocate its contexts.
  package init?(level: Int32 = ZstdCodec.defaultLevel) {
    guard let compressor = Compressor(), let decompressor = Decompressor() else { return nil }
    self.level = level
    self.compressor = compressor
    self.decompressor = decompressor
  }

  package var id: CodecID { .zstd }

  package func bound(_ count: Int) -> Int { ZSTD_compressBound(count) }

  package func compress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int {
    let size = unsafe ZSTD_compressCCtx(
      compressor.context, target.baseAddress, target.count, source.baseAddress, source.count, level)
    return ZSTD_isError(size) != 0 ? 0 : size
  }

  package func decompress(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer)
    -> Int?
  {
    let size = unsafe ZSTD_decompressDCtx(
      decompressor.context, target.baseAddress, target.count, source.baseAddress, source.count)
    return ZSTD_isError(size) != 0 ? nil : size
  }
}

@safe private struct Compressor: ~Copyable {
  let context: OpaquePointer
  init?() {
    guard let made = unsafe ZSTD_createCCtx() else { return nil }
    unsafe context = made
  }
  deinit { unsafe ZSTD_freeCCtx(context) }
}

@safe private struct Decompressor: ~Copyable {
  let context: OpaquePointer
  init?() {
    guard let made = unsafe ZSTD_createDCtx() else { return nil }
    unsafe context = made
  }
  deinit { unsafe ZSTD_freeDCtx(context) }
}

/// All codecs of this project.
public let allCodecs: CodecProvider = { $0 == .zstd ? ZstdCodec() : NoCodec() }
