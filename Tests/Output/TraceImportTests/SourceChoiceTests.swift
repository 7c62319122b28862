import Testing
import TraceFormat
import TraceImport

/// Which source reads the files of a command line.
@Suite struct SourceChoiceTests {
  private struct Other: RecordingSource {
    static let recording = "another tool"
    static let fileExtensions = ["other"]
    static let help = ""
    var list: [String] { [] }
    mutating func read(_ fill: @escaping (UnsafeMutableRawBufferPointer) -> Int) throws(ImportError) {}
    func write(process: String?, to sink: any ByteSink, codec: any BlockCodec) throws(ImportError)
      -> ImportAccount
    { throw .missingLibrary }
  }

  private func source(_ files: [String]) -> Result<String, ImportError> {
    Result { () throws(ImportError) in
      let all = RecordingSources.all + [Other.self]
      return try RecordingSources.source(of: files, among: all).recording
    }
  }

  @Test func allFilesAreOfOneSource() {
    let instruments = "an Instruments recording"
    for files in [["a.xml", "b.xml"], ["-", "a.xml"], ["a.trace/"], ["a"], ["other"]] {
      #expect(source(files) == .success(instruments), "\(files)")
    }
    #expect(source(["a.other", "b.other"]) == .success("another tool"))
    #expect(
      source(["a.xml", "b.other"])
        == .failure(
          .choice("import takes one recording: a.xml is part of \(instruments), b.other of another tool")))
  }
}
