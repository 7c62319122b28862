import Foundation
import ReportWriting
import TraceAnalysis
import TraceFormat

/// Describes a trace file as text: header, clocks, blocks, threads, modes.
package struct TraceInfo {
  private let reader: TraceReader

  package init(_ reader: TraceReader) { self.reader = reader }

  package func lines(file: String) -> [String] {
    let header = reader.header
    let events = reader.eventCount
    var lines = [
      harmless(file, limit: 200),
      field(
        "format",
        reader.newerFormat.map { harmless("\($0)", limit: 300) } ?? "\(FileHeader.major).\(header.minor)"),
      field(
        "closed", reader.isClean ? "clean" : "NOT CLEAN: \(reader.problem.map { "\($0)" } ?? "no index")"),
      field("end", EndResult(reader).text),
      field("size", "\(reader.fileSize) bytes"),
      field("events", "\(events)"),
      field("bytes/event", events == 0 ? "–" : Units.significant(Double(reader.fileSize) / Double(events))),
      field("duration", Units.duration(reader.lastTime &* header.timeUnit.nanoseconds)),
      field("begins at", begins),
      field("time unit", header.timeUnit.name),
      field("codec", header.codec.name),
      field(
        "capture level",
        header.captureLevel.name
          + (header.hasHighStamps ? ", low and high stamps" : ", one stamp per activity")),
    ]
    lines += lost()
    lines += clocks()
    lines += blocks()
    lines += named(
      "threads",
      reader.threads.values.ordered { $0.index < $1.index }.map {
        "\($0.index)  os \($0.osThread)\($0.isMain ? ", main" : "")  \"\(harmless($0.name))\""
      })
    lines += named(
      "modes", reader.modes.ordered { $0.key < $1.key }.map { "\($0.key)  \(harmless($0.value))" })
    lines += named("recording", reader.info.map { "\(harmless($0.key)): \(harmless($0.value, limit: 200))" })
    return lines
  }

  private static let lostPartsListed = 20

  private func lost() -> [String] {
    let parts = reader.lostParts
    let left = parts.count - TraceInfo.lostPartsListed
    return named(
      "lost",
      parts.prefix(TraceInfo.lostPartsListed).map { $0.text(reader.header.timeUnit) }
        + (left > 0 ? [Note.furtherLost(left).text] : []))
  }

  private var begins: String {
    guard reader.beginning > 0 else { return "the start of the recording" }
    let moment = Units.moment(reader.beginning &* reader.header.timeUnit.nanoseconds)
    return "\(moment); \(reader.droppedEvents) earlier events were dropped"
  }

  private func field(_ name: String, _ value: String) -> String {
    TextTable.pad(name, 15, left: true) + value
  }

  private func named(_ title: String, _ rows: [String]) -> [String] {
    rows.isEmpty ? [] : [title] + rows.map { "  " + $0 }
  }

  /// Returns the clock source, the wall-clock start, and the drift of the trace's time from the monotonic clock.
  private func clocks() -> [String] {
    var lines = [field("clock", reader.header.clock.name)]
    guard let first = reader.syncPoints.first, let last = reader.syncPoints.last else {
      return lines + [field("sync points", "none: no wall-clock time")]
    }
    let unit = reader.header.timeUnit.nanoseconds
    let start = Date(timeIntervalSince1970: Double(first.realtimeNs) / 1e9 - Double(first.time &* unit) / 1e9)
    lines.append(
      field("started", start.ISO8601Format(Date.ISO8601FormatStyle(includingFractionalSeconds: true))))
    let line = Int64(bitPattern: (last.time &- first.time) &* unit)
    let monotonic = Int64(bitPattern: last.monotonicNs &- first.monotonicNs)
    let drift = line &- monotonic
    let ppm = monotonic == 0 ? 0 : Double(drift) / Double(monotonic) * 1e6
    lines.append(
      field(
        "sync points",
        "\(reader.syncPoints.count); difference from the monotonic clock at the last one: \(drift) ns (\(String(format: "%.2f", ppm)) ppm)"
      ))
    let slept = Int64(bitPattern: last.boottimeNs &- first.boottimeNs) &- monotonic
    lines.append(field("system slept", slept < 1_000_000 ? "no" : Units.duration(UInt64(slept))))
    return lines
  }

  private func blocks() -> [String] {
    let byType = Dictionary(grouping: reader.blocks, by: \.type).ordered { $0.key.rawValue < $1.key.rawValue }
    let summary =
      "\(reader.blocks.count), \(reader.damagedBlocks) damaged, \(reader.unknownBlocks) unknown"
    return [field("blocks", summary)]
      + byType.map { type, blocks in
        let entries = blocks.reduce(0) { $0 + $1.count }
        let bytes = blocks.reduce(0) { $0 + $1.payloadBytes }
        return
          "  \(TextTable.pad(type.name, 13, left: true))\(blocks.count) blocks, \(entries) entries, \(bytes) bytes"
      }
  }
}
