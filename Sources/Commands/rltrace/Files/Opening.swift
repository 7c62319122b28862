import TraceCompression
import TraceFormat
import TraceRecorder

/// Opens a trace. A failure names the file.
func openTrace(_ file: String, longNames: LongNames? = nil) throws(Failure) -> TraceReader {
  FileUse.read(file)
  MemoryLimit.watch(reading: file)
  do throws(TraceFormatError) {
    return try TraceReader(source: FileSource(path: file), codecs: allCodecs, longNames: longNames)
  } catch .notATrace where Spool.isSpool(file, followingLinks: true) {
    throw Failure(
      status: .badData, file: file,
      message: "this is a spool, not a trace; `rltrace recover \(file)` makes the trace")
  } catch {
    throw .reading(file, error)
  }
}
