import Foundation
import Testing
import TraceCompression
import TraceFormat

/// A program, run with and without `rltrace record`.
public struct RecordedProgram {
  public let folder: TemporaryFolder
  public let plain: Program.Result
  public let recorded: Program.Result
  public var trace: String { folder.file("out.rltrace") }

  /// Runs `program` both ways, the recorded run with `options` of `rltrace record`.
  public init(_ program: Program, _ arguments: [String] = [], options: [String] = []) throws {
    folder = try TemporaryFolder()
    plain = try program.run(arguments, folder: folder.path)
    recorded = try Program.rltrace.run(
      ["record", "-q", "-o", "out.rltrace"] + options + ["--", program.path]
        + program.allArguments(arguments),
      folder: folder.path)
  }

  /// The recording was not to be noticed.
  public func expectUnchanged() {
    #expect(recorded.status == plain.status)
    #expect(recorded.output == plain.output)
    #expect(recorded.errors == plain.errors)
  }

  /// All events of the trace (of another file of the folder), with the names of objects.
  public func events(_ file: String? = nil) throws -> [RecordedEvent] {
    let path = file.map { folder.file($0) } ?? trace
    let reader = try TraceReader(source: FileSource(path: path), codecs: allCodecs)
    #expect(reader.isClean)
    var names: [UInt32: String] = [:]
    return try reader.allEvents().flatMap { $0 }.map { event in
      let kind = EventKind(event.kind)
      if [.timerCreate, .sourceCreate, .blockCreate, .loopCreate].contains(kind),
        let name = event.arguments.first
      {
        names[event.object] = reader.strings[UInt32(name)] ?? ""
      }
      return RecordedEvent(
        time: event.time, kind: kind, mode: reader.modes[event.mode] ?? "", object: event.object,
        name: names[event.object] ?? "", arguments: event.arguments)
    }
  }
}

public struct RecordedEvent {
  public let time: UInt64
  public let kind: EventKind
  public let mode: String
  public let object: UInt32
  public let name: String
  public let arguments: [UInt64]
}
