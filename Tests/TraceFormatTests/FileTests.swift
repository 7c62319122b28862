import Foundation
import TestSupport
import Testing
import TraceCompression
import TraceFormat

/// Files: a trace has its name when it is whole, and not before.
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
    #expect(folder.names == ["a.rltrace.part"])
    try writer.close()
    #expect(folder.names == ["a.rltrace"])
    let reader = try TraceReader(source: FileSource(path: path), codecs: allCodecs)
    #expect(reader.isClean && reader.fileSize == writer.byteCount)
    #expect(try reader.allEvents() == [[TestEvent(time: 1, kind: .mark)]])
  }

  @Test func anOlderTraceStaysUntilTheNewOneIsWhole() throws {
    let path = folder.file("a.rltrace")
    try Data("older".utf8).write(to: URL(fileURLWithPath: path))
    let writer = try write(FileSink(path: path))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "older")
    try writer.close()
    #expect(try TraceReader(source: FileSource(path: path), codecs: allCodecs).isClean)
  }

  @Test func discardLeavesNothing() throws {
    let sink = try FileSink(path: folder.file("a.rltrace"))
    _ = try write(sink)
    sink.discard()
    sink.discard()
    #expect(folder.names.isEmpty)
    // Nor does what comes after it: the descriptor may belong to another file by now.
    let byte: [UInt8] = [1]
    #expect(throws: TraceFormatError.self) { try byte.withUnsafeBytes { try sink.write($0) } }
    #expect(throws: TraceFormatError.self) { try sink.commit() }
    #expect(folder.names.isEmpty)
  }

  @Test func aForgottenSinkLeavesNothing() throws {
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
    // One that comes while the trace is written, and one that is there before.
    let writer = try write(FileSink(path: path))
    try makeFolder()
    #expect(throws: TraceFormatError.self) { try writer.close() }
    #expect(throws: TraceFormatError.self) { try FileSink(path: path) }
    #expect(folder.names == ["a.rltrace"])
  }

  #if os(Linux)
  /// The working file is a link to /dev/full, which takes nothing.
  @Test func aFullDisk() throws {
    let path = folder.file("a.rltrace")
    try FileManager.default.createSymbolicLink(atPath: path + ".part", withDestinationPath: "/dev/full")
    let sink = try FileSink(path: path)
    let error = #expect(throws: TraceFormatError.self) { try write(sink) }
    guard case .system(let what, let code) = error else { return }
    #expect(code == ENOSPC && "\(what)".contains(path))
    sink.discard()
    #expect(folder.names.isEmpty)
  }
  #endif

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

  /// A file that shrinks while it is read is damage, not a crash.
  @Test func aShrinkingFile() throws {
    let path = folder.file("a.rltrace")
    try write(FileSink(path: path)).close()
    let reader = try TraceReader(source: FileSource(path: path), codecs: allCodecs)
    try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: 50)
    #expect(throws: TraceFormatError.self) { try reader.events(of: 0, into: DecodedEvents()) }
  }
}
