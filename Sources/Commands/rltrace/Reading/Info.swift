import ArgumentParser
import Foundation
import TextReport
import TraceFormat

struct Info: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Prints what a trace file holds: header, clocks, blocks, counts, sizes.",
    discussion: """
      Examples:
        rltrace info app.rltrace
        rltrace info app.rltrace --events
      """)

  @Argument(help: "The trace.", completion: .file(extensions: ["rltrace"]))
  var file: String

  @Flag(help: "Also count the events of each kind (decodes the whole trace).")
  var events = false

  @Flag(help: ArgumentHelp(StrictReading.help)) var strict = false

  func run() throws {
    FileUse.read(file)
    try FileUse.write([])
    let reader = try StrictReading.open(file, isStrict: strict)
    let progress = AnalysisProgress(file: file, what: "verifying")
    defer { progress.finish() }
    do throws(TraceFormatError) { try reader.verify(progress: progress.update) } catch {
      throw Failure.reading(file, error)
    }
    progress.finish()
    var out = OutputBuffer()
    for line in TraceInfo(reader).lines(file: file) { try out.line(line) }
    var damage: TraceFormatError?
    if events {
      let (counts, found) = try countEvents(reader, progress)
      damage = found
      progress.finish()
      try out.line("events by kind")
      for (kind, count) in counts.enumerated() where count > 0 {
        let name = EventTable.definition(of: EventKind(UInt8(kind)))?.name ?? "kind-\(kind) (unknown)"
        try out.line("  \(name.padding(toLength: 24, withPad: " ", startingAt: 0)) \(count)")
      }
    }
    try out.flush()
    if let problem = reader.problem ?? damage { throw Failure.incomplete(file, problem, reader) }
  }

  private func countEvents(
    _ reader: TraceReader, _ progress: AnalysisProgress
  ) throws -> ([UInt64], TraceFormatError?) {
    var counts = [UInt64](repeating: 0, count: 256)
    var damage: TraceFormatError?
    let block = DecodedEvents()
    for (number, entry) in reader.blocks.enumerated() where entry.type == .events {
      progress.update(Double(number) / Double(reader.blocks.count))
      do throws(TraceFormatError) {
        try reader.events(of: number, into: block)
        for i in 0..<block.count { counts[Int(block.kinds[i])] += 1 }
      } catch {
        if damage == nil { damage = error }
      }
    }
    return (counts, damage)
  }
}
