import TraceFormat

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Small files that are there whole or not at all.
enum WholeFile {
  /// Replaces the file behind `path`. `option` is what names it on the command line.
  static func write(_ text: String, to path: String, option: String) throws(Failure) {
    do throws(TraceFormatError) {
      let sink = try FileSink(path: path, isDurable: false)
      try sink.write(Array(text.utf8))
      try sink.commit()
    } catch {
      let failure = Failure.writing(path, error)
      throw Failure(
        status: failure.status, message: failure.message.replacing(" with -o", with: " with \(option)"))
    }
  }
}
