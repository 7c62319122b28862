import Foundation
import Testing
import TraceFormat

/// A program, run with `rltrace record`, and without it by the tests that compare the two.
package final class RecordedProgram {
  package let folder: TemporaryFolder
  package let recorded: Program.Result
  private let program: Program
  private let arguments: [String]
  private var keptPlain: Program.Result?
  package var trace: String { folder.file("out.rltrace") }

  /// Records `program` with `options` of `rltrace record`.
  package init(_ program: Program, _ arguments: [String] = [], options: [String] = []) throws {
    folder = try TemporaryFolder()
    self.program = program
    self.arguments = arguments
    recorded = try Program.rltrace.run(
      ["record", "-q", "-o", "out.rltrace"] + options + ["--", program.path]
        + program.allArguments(arguments),
      folder: folder.path)
  }

  /// The result without `rltrace record`. The first use runs the program.
  package var plain: Program.Result {
    get throws {
      if let keptPlain { return keptPlain }
      let result = try program.run(arguments, folder: folder.path)
      keptPlain = result
      return result
    }
  }

  /// Expects the same status, output and errors with and without the recording.
  package func expectUnchanged() throws {
    let plain = try plain
    #expect(recorded.status == plain.status)
    #expect(recorded.output == plain.output)
    #expect(recorded.errors == plain.errors)
  }

  /// Returns all events of the trace, or of another file of the folder, with the names of objects.
  package func events(_ file: String? = nil) throws -> [RecordedEvent] {
    let path = file.map { folder.file($0) } ?? trace
    let reader = try openTrace(path: path)
    #expect(reader.isClean)
    let names = ObjectNames(reader)
    let events = DecodedEvents()
    var definitions: [UInt32: UInt32] = [:]
    var found: [RecordedEvent] = []
    for number in reader.blocks.indices where reader.blocks[number].type == .events {
      try reader.events(of: number, into: events)
      let thread = reader.blocks[number].thread
      var ordinals = [Int](repeating: 0, count: 256)
      for i in 0..<events.count {
        let kind = events.kinds[i]
        if ObjectNames.isDefinition(kind) { definitions[thread, default: 0] += 1 }
        let name = names.name(
          of: events.objects[i], at: events.times[i], thread: thread,
          definitions: definitions[thread, default: 0])
        found.append(
          RecordedEvent(
            time: events.times[i], kind: EventKind(kind), mode: reader.modes[events.modes[i]] ?? "",
            object: events.objects[i], name: name.flatMap { reader.strings[$0] } ?? "",
            arguments: events.arguments(kind: kind, ordinal: ordinals[Int(kind)])))
        ordinals[Int(kind)] += 1
      }
    }
    return found
  }
}

package struct RecordedEvent {
  package let time: UInt64
  package let kind: EventKind
  package let mode: String
  package let object: UInt32
  package let name: String
  package let arguments: [UInt64]
}
