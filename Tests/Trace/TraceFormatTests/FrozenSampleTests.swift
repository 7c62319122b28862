import TestSupport
import Testing
import TraceFormat

/// The files of SampleTraces/frozen, one folder per format version, are never rewritten. When this test fails, the
/// reader is wrong.
@Suite struct FrozenSampleTests {
  private static let samples = ["1.0/sample", "1.1/sample", "1.2/sample", "1.2/objects"]
  /// Only a recorder writes flat blocks.
  private static let recorded = ["1.2/flat"]

  @Test(arguments: samples + recorded, CodecID.allCases)
  func isReadAsOnTheFirstDay(sample: String, codec: CodecID) throws {
    let path = "SampleTraces/frozen/\(sample)-\(codec.name)"
    let bytes = try ProjectFiles.bytes("\(path).rltrace")
    let text = try ProjectFiles.text("\(path).rltext")
    let reader = try openTrace(bytes)
    #expect(reader.isClean && reader.problem == nil && reader.damagedBlocks == 0)
    // Without comments: the text after `;` may be improved.
    #expect(firstDifference(essence(try dumpTrace(reader)), essence(text)) == nil)
    #expect(bytes.count < 4096 && text.utf8.count < 4096)
  }

  /// Uncompressed files are also written as in their first version. A change of the encoder that old readers still
  /// understand may break this test: then mention it in the changelog, and drop the test for the old version.
  @Test(arguments: samples)
  func isWrittenAsOnTheFirstDay(sample: String) throws {
    let path = "SampleTraces/frozen/\(sample)-none"
    #expect(try assembleTrace(ProjectFiles.text("\(path).rltext")) == ProjectFiles.bytes("\(path).rltrace"))
  }
}
