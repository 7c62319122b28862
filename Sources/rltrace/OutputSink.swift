import TraceFormat

/// A trace to standard output.
final class OutputSink: ByteSink {
  func write(_ bytes: UnsafeRawBufferPointer) throws(TraceFormatError) {
    if let code = Terminal.writeOutput(bytes) {
      throw .system(what: "cannot write standard output", code: code)
    }
  }
  func commit() {}
  func discard() {}
}
