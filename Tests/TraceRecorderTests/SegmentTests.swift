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

  /// A segment that a snapshot held is no part of what a killed recorder kept: those behind it are gone.
  @Test func whatWasDroppedEarlierIsNoPart() {
    let trace = folder.file("t.rltrace")
    let held = touch("t.rltrace.segment2")
    let kept = [touch("t.rltrace.segment9"), touch("t.rltrace.segment10"), touch("t.rltrace.segment11.part")]
    _ = touch("t.rltrace.segmentX")
    #expect(SegmentFiles.newestRun(trace: trace) == kept)
    #expect(SegmentFiles.left(trace: trace) == [held] + kept)
    #expect(SegmentFiles.newestRun(trace: folder.file("other.rltrace")) == [])
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
