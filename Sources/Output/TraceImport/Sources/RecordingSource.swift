import TraceFormat

/// A kind of recording of another tool that `rltrace import` reads.
package protocol RecordingSource {
  /// The kind of recording in a sentence, with its article.
  static var recording: String { get }
  /// The file name extensions of such recordings.
  static var fileExtensions: [String] { get }
  /// Its part of the command's help, with examples.
  static var help: String { get }

  init()

  /// Reads one file. `fill` fills the buffer and returns the number of bytes, 0 at the end, or -1 after an error.
  mutating func read(_ fill: @escaping (UnsafeMutableRawBufferPointer) -> Int) throws(ImportError)

  /// The contents of the files, a line each.
  var list: [String] { get }

  /// Writes the trace of one process. `process` is its name or number; nil if the user chose none.
  func write(process: String?, to sink: any ByteSink, codec: any BlockCodec) throws(ImportError)
    -> ImportAccount
}

/// A report on an import, in words.
package struct ImportAccount {
  /// The contents of the trace.
  package var contents: String
  /// Other imported things, omissions, and the limits of what can be judged.
  package var notes: [String]
  /// The hangs that the source lists, to compare with those of the trace.
  package var hangs: [InstrumentsTrace.Span] = []
}

package enum RecordingSources {
  /// The order is that of the help.
  package static var all: [any RecordingSource.Type] { [InstrumentsSource.self] }

  /// Returns the source of the files. Files with other extensions, and standard input, belong to Instruments.
  package static func source(
    of files: [String], among sources: [any RecordingSource.Type] = all
  ) throws(ImportError) -> any RecordingSource.Type {
    var found: (file: String, source: any RecordingSource.Type)?
    for file in files {
      let source =
        sources.first { $0.fileExtensions.contains { file.hasSuffix(".\($0)") } } ?? InstrumentsSource.self
      if let found, found.source != source {
        throw .choice(
          "import takes one recording: \(found.file) is part of \(found.source.recording), \(file) of \(source.recording)"
        )
      }
      found = (file, source)
    }
    return found?.source ?? InstrumentsSource.self
  }
}
