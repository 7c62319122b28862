import Symbolication
import TraceFormat

/// Puts functions, files and lines into traces that were just recorded, while the program's files are still those that
/// ran.
public struct RecordedNaming: Sendable {
  /// Code addresses of all traces, and those of them that got a name, and a line.
  public private(set) var addresses = 0
  public private(set) var named = 0
  public private(set) var withLines = 0
  public private(set) var hasLineReader = true
  /// The time was used up before all lines were found.
  public private(set) var isOutOfTime = false
  /// Traces that could not be written again. They are as they were recorded.
  public private(set) var failures: [(path: String, error: TraceFormatError)] = []

  /// Names `traces` in place, one after the other: each is replaced by a copy with names when that is whole.
  public init(
    _ traces: [String], codecs: @escaping CodecProvider, limitMs: Int = SymbolLimits.recordedAnswersMs
  ) {
    let symbolizer = StackSymbolizer(limitMs: limitMs)
    for path in traces {
      do throws(TraceFormatError) { try name(path, codecs, symbolizer) } catch {
        failures.append((path, error))
      }
    }
    hasLineReader = symbolizer.lineReader != nil
    isOutOfTime = symbolizer.isOutOfTime
  }

  private mutating func name(
    _ path: String, _ codecs: @escaping CodecProvider, _ symbolizer: StackSymbolizer
  ) throws(TraceFormatError) {
    let reader = try TraceReader(source: FileSource(path: path), codecs: codecs)
    let samplers = reader.threads.values.filter { $0.name == ThreadDefinition.samplerName }.map(\.index)
    let code = try RecordedCode(reader, of: reader.recorderThreads.union(samplers))
    guard !code.addresses.isEmpty, reader.isClean, let codec = codecs(reader.header.codec) else { return }
    let naming = TraceNaming(code, known: try FrameNames(reader), symbolizer)
    addresses += code.addresses.count
    named += naming.named
    withLines += naming.withLines
    guard !naming.names.isEmpty else { return }
    try FrameNaming.write(naming.names, copying: reader, sink: FileSink(path: path), codec: codec)
  }
}
