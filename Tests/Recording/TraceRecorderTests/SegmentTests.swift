import Foundation
import TestSupport
import Testing

@testable import TraceRecorder

@Suite struct SegmentTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func touch(_ name: String) -> String {
    let path = folder.file(name)
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    return path
  }

  @Test func theyAreInTheOrderOfTheirNumbers() {
    let trace = folder.file("t.rltrace")
    let names = [
      "t.rltrace.segment2", "t.rltrace.segment9", "t.rltrace.segment10", "t.rltrace.segment11.part",
    ]
    let made = names.map(touch)
    _ = touch("t.rltrace.segmentX")
    #expect(SegmentFiles.left(trace: trace) == made)
    #expect(SegmentFiles.left(trace: folder.file("other.rltrace")) == [])
  }

  @Test func aDroppedSegmentGoesWithItsLastReader() {
    var kept: SegmentFile? = SegmentFile(path: touch("kept"))
    var dropped: SegmentFile? = SegmentFile(path: touch("dropped"))
    var reader = dropped
    dropped?.drop()
    dropped = nil
    #expect(folder.names.sorted() == ["dropped", "kept"] && reader?.path == folder.file("dropped"))
    reader = nil
    #expect(kept?.path == folder.file("kept"))
    kept = nil
    #expect(folder.names == ["kept"])
  }
}
