import Symbolication
import TraceFormat

/// Puts functions, files and lines into traces that were just recorded, while the program's files are still those
/// that ran.
package struct RecordedNaming: Sendable {
  /// The number of code addresses in all traces, and of those that got a line.
  package private(set) var addresses = 0
  package private(set) var withLines = 0
  /// Why no address has a line, and what the user can do; nil if there is an llvm-symbolizer.
  package private(set) var lineReaderAdvice: String?
  /// A recorded program that was built without debug information; nil = there is none.
  package private(set) var programWithoutLines: String?
  /// Whether the time limit was reached before all lines were found.
  package private(set) var isOutOfTime = false
  /// The events and bytes of the traces that got names, by path.
  package private(set) var sizes: [String: (events: UInt64, bytes: UInt64)] = [:]
  /// The traces that could not be rewritten. They stay as they were recorded.
  package private(set) var failures: [(path: String, error: TraceFormatError)] = []

  /// Names `traces` in place, one after the other. Each is replaced by a copy with names once the copy is complete.
  package init(
    _ traces: [String], codecs: @escaping CodecProvider, limitMs: Int = SymbolLimits.recordedAnswersMs
  ) {
    let symbolizer = StackSymbolizer(limitMs: limitMs)
    for path in traces {
      do throws(TraceFormatError) { try name(path, codecs, symbolizer) } catch {
        failures.append((path, error))
      }
    }
    lineReaderAdvice = symbolizer.lineReaderAdvice
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
    withLines += naming.withLines
    // The libraries of the system have none either.
    programWithoutLines =
      programWithoutLines
      ?? naming.imagesWithoutLines.filter { !$0.split(separator: ".").contains("so") }.min()
    guard !naming.names.isEmpty else { return }
    try FrameNaming.write(naming.names, copying: reader, sink: FileSink(path: path), codec: codec)
    let named = try TraceReader(source: FileSource(path: path), codecs: codecs)
    sizes[path] = (named.eventCount, named.fileSize)
  }
}
