import TestSupport
import Testing
import TraceFormat

/// The files of SampleTraces/frozen, one folder per format version, are never rewritten. When this test fails, the
/// reader is wrong.
@Suite struct FrozenSampleTests {
  @Test(arguments: ["1.0", "1.1", "1.2"], CodecID.allCases)
  func isReadAsOnTheFirstDay(version: String, codec: CodecID) throws {
    let folder = "SampleTraces/frozen/\(version)"
    let bytes = try ProjectFiles.bytes("\(folder)/sample-\(codec.name).rltrace")
    let text = try ProjectFiles.text("\(folder)/sample-\(codec.name).rltext")
    let reader = try openTrace(bytes)
    #expect(reader.isClean && reader.problem == nil && reader.damagedBlocks == 0)
    // Without comments: the text after `;` may be improved.
    #expect(firstDifference(essence(try dumpTrace(reader)), essence(text)) == nil)
    #expect(bytes.count < 4096 && text.utf8.count < 4096)
  }

  /// Uncompressed files are also written as in their first version. A change of the encoder that old readers still
  /// understand may break this test: then mention it in the changelog, and drop the test for the old version.
  @Test(arguments: ["1.0", "1.1", "1.2"])
  func isWrittenAsOnTheFirstDay(version: String) throws {
    let text = try ProjectFiles.text("SampleTraces/frozen/\(version)/sample-none.rltext")
    #expect(
      try assembleTrace(text) == ProjectFiles.bytes("SampleTraces/frozen/\(version)/sample-none.rltrace"))
  }
}
