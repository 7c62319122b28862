import TraceFormat

/// A small file that is replaced again and again while other programs read it.
enum ReplacedFile {
  /// Replaces the file, or the target of a symbolic link, at once: readers see the old text or the new one. A power
  /// failure may lose the new text.
  static func write(_ text: String, to path: String) throws(Failure) {
    do throws(TraceFormatError) {
      try FileUse.open(path)
      // The list of unfinished files only grows, so that it is not for files that are made again and again.
      try UnfinishedFiles.undisturbed { () throws(TraceFormatError) in
        let sink = try FileSink(path: path, isDurable: false)
        try sink.write(Array(text.utf8))
        try sink.commit()
      }
    } catch {
      throw .writing(path, error)
    }
  }
}
