import Foundation
import TestSupport
import Testing
import TraceFormat

/// Output files. A trace gets its name only when it is complete.
@Suite struct FileTests {
  private let folder: TemporaryFolder
  private let header = FileHeader(
    codec: .none, captureLevel: .callouts, clock: .monotonic, hasHighStamps: true)

  init() throws { folder = try TemporaryFolder() }

  private func write(_ sink: FileSink) throws -> TraceWriter {
    let writer = try TraceWriter(sink: sink, header: header, codec: NoCodec())
    try writer.write(EventBuffer([TestEvent(time: 1, kind: .mark)]), thread: 0)
    return writer
  }

  @Test func aClosedTraceHasItsName() throws {
    let path = folder.file("a.rltrace")
    let writer = try write(FileSink(path: path))
    #expect(folder.names.count == 1 && folder.names[0].hasPrefix(".a.rltrace."))
    try writer.close()
    #expect(folder.names == ["a.rltrace"])
    let reader = try openTrace(path: path)
    #expect(reader.isClean && reader.fileSize == writer.byteCount)
    #expect(try reader.allEvents() == [[TestEvent(time: 1, kind: .mark)]])
  }

  @Test func anOlderTraceStaysUntilTheNewOneIsWhole() throws {
    let path = folder.file("a.rltrace")
    try Data("older".utf8).write(to: URL(fileURLWithPath: path))
    let writer = try write(FileSink(path: path))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "older")
    try writer.close()
    #expect(try openTrace(path: path).isClean)
  }

  @Test func discardLeavesNothing() throws {
    let sink = try FileSink(path: folder.file("a.rltrace"))
    _ = try write(sink)
    sink.discard()
    sink.discard()
    #expect(folder.names.isEmpty)
    // Later calls fail as well: the descriptor may already belong to another file.
    let byte: [UInt8] = [1]
    #expect(throws: TraceFormatError.self) { try byte.withUnsafeBytes { try sink.write($0) } }
    #expect(throws: TraceFormatError.self) { try sink.commit() }
    #expect(folder.names.isEmpty)
  }

  @Test func anAbandonedSinkLeavesNothing() throws {
    _ = try write(FileSink(path: folder.file("a.rltrace")))
    #expect(folder.names.isEmpty)
  }

  @Test func unwritablePaths() throws {
    func code(_ path: String) -> Int32? {
      do throws(TraceFormatError) { _ = try FileSink(path: path) } catch {
        guard case .system(let what, let code) = error else { return nil }
        #expect("\(what)".contains(path))
        return code
      }
      return nil
    }
    #expect(code(folder.file("missing/a.rltrace")) == ENOENT)
    try Data().write(to: URL(fileURLWithPath: folder.file("file")))
    #expect(code(folder.file("file/a.rltrace")) == ENOTDIR)
    #expect(code("/proc/a.rltrace") == ENOENT)
  }

  @Test func aFolderInTheWay() throws {
    let path = folder.file("a.rltrace")
    func makeFolder() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    // A folder that appears while the trace is written, and one that existed before.
    let writer = try write(FileSink(path: path))
    try makeFolder()
    #expect(throws: TraceFormatError.self) { try writer.close() }
    #expect(throws: TraceFormatError.self) { try FileSink(path: path) }
    #expect(folder.names == ["a.rltrace"])
  }

  /// The umask decides the permissions of a new trace. A replaced file keeps its permissions, and other users cannot
  /// read the new file before it has them.
  @Test func permissionsOfOutputs() throws {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let umask = try #require(status.firstMatch(of: /Umask:\s+([0-7]+)/)?.1)
    let usual = 0o666 & ~(try #require(Int(umask, radix: 8)))
    func mode(_ name: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
    }
    try write(FileSink(path: folder.file("a.rltrace"))).close()
    #expect(try mode("a.rltrace") == usual)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640], ofItemAtPath: folder.file("a.rltrace"))
    let replacing = try FileSink(path: folder.file("a.rltrace"))
    let working = try #require(folder.names.first { $0.hasSuffix(".part") })
    #expect(try mode(working) == 0o600)
    try write(replacing).close()
    #expect(try mode("a.rltrace") == 0o640)
    try write(FileSink(recording: folder.file("b.rltrace"))).close()
    #expect(try mode("b.rltrace") == usual)
  }

  /// A file or link with the working name of a recording must not be overwritten.
  @Test func nothingIsWrittenThroughTheWorkingName() throws {
    let path = folder.file("a.rltrace")
    let victim = folder.file("victim")
    try Data().write(to: URL(fileURLWithPath: victim))
    try FileManager.default.createSymbolicLink(atPath: path + ".part", withDestinationPath: victim)
    #expect(throws: TraceFormatError.self) { try FileSink(recording: path) }
    unlink(path + ".part")
    try FileManager.default.linkItem(atPath: victim, toPath: path + ".part")
    try write(FileSink(recording: path)).close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: victim)).isEmpty)
    mkfifo(path + ".part", 0o600)
    #expect(throws: TraceFormatError.self) { try FileSink(recording: path) }
  }

  /// Another process removes the working name of a recording, or gives it to its own file. The trace is complete, and
  /// the other file is neither renamed nor removed.
  @Test func theWorkingNameIsLost() throws {
    let path = folder.file("a.rltrace")
    for theirs in [nil, Data("theirs".utf8)] as [Data?] {
      for isKept in [true, false] {
        let sink = try FileSink(recording: path)
        let writer = try write(sink)
        unlink(path + ".part")
        if let theirs { try theirs.write(to: URL(fileURLWithPath: path + ".part")) }
        if isKept { try writer.close() } else { sink.discard() }
        #expect(folder.names == (isKept ? ["a.rltrace"] : []) + (theirs == nil ? [] : ["a.rltrace.part"]))
        if isKept {
          let reader = try openTrace(path: path)
          #expect(reader.isClean && reader.eventCount == 1)
        }
        for name in folder.names { unlink(folder.file(name)) }
      }
    }
  }

  /// A trace that has lost its working name is copied into place. If a link is there, the writer throws instead.
  @Test func aLinkInThePlaceOfATraceThatIsCopied() throws {
    let path = folder.file("a.rltrace")
    let victim = folder.file("victim")
    try Data("theirs".utf8).write(to: URL(fileURLWithPath: victim))
    let writer = try write(FileSink(recording: path))
    unlink(path + ".part")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim)
    #expect(throws: TraceFormatError.self) { try writer.close() }
    #expect(try Data(contentsOf: URL(fileURLWithPath: victim)) == Data("theirs".utf8))
  }

  /// Only one recording at a time can use a name.
  @Test func aRecordingsNameIsTaken() throws {
    let first = try FileSink(recording: folder.file("a.rltrace"))
    #expect(throws: TraceFormatError.self) { try FileSink(recording: folder.file("a.rltrace")) }
    try write(first).close()
    try write(FileSink(recording: folder.file("a.rltrace"))).close()
  }

  /// A commit that failed can be repeated after the obstacle is gone.
  @Test func aRecordingIsCommittedAgain() throws {
    let path = folder.file("a.rltrace")
    let writer = try write(FileSink(recording: path))
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(throws: TraceFormatError.self) { try writer.close() }
    #expect(folder.names.sorted() == ["a.rltrace", "a.rltrace.part"])
    try FileManager.default.removeItem(atPath: path)
    try writer.close()
    #expect(folder.names == ["a.rltrace"])
    #expect(try openTrace(path: path).isClean)
  }

  /// When a recording ends without a commit, its data stays. A name without data is released.
  @Test func anAbandonedRecordingStays() throws {
    _ = try write(FileSink(recording: folder.file("a.rltrace")))
    _ = try FileSink(recording: folder.file("b.rltrace"))
    #expect(folder.names == ["a.rltrace.part"])
  }

  /// The data of a recording that cannot continue stays.
  @Test func theDataOfAStoppedRecordingStays() throws {
    let sink = try FileSink(recording: folder.file("a.rltrace"))
    _ = try write(sink)
    sink.leave()
    #expect(folder.names == ["a.rltrace.part"])
    let reader = try openTrace(path: folder.file("a.rltrace.part"))
    #expect(!reader.isClean && reader.eventCount == 1)
  }

  @Test func unreadablePaths() throws {
    func code(_ path: String) -> Int32? {
      do throws(TraceFormatError) { _ = try FileSource(path: path) } catch {
        if case .system(_, let code) = error { return code }
      }
      return nil
    }
    #expect(code(folder.file("missing.rltrace")) == ENOENT)
    #expect(throws: TraceFormatError.self) { try FileSource(path: folder.path) }
    #expect(throws: TraceFormatError.self) { try FileSource(path: "/dev/null") }
  }

  /// Shrinking a file while it is read is reported as damage, and causes no crash.
  @Test func aShrinkingFile() throws {
    let path = folder.file("a.rltrace")
    try write(FileSink(path: path)).close()
    let reader = try openTrace(path: path)
    try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: 50)
    #expect(throws: TraceFormatError.self) { try reader.events(of: 0, into: DecodedEvents()) }
  }
}
