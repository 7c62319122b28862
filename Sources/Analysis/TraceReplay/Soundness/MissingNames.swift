import TraceFormat

/// Finds names that events use and that are not defined. Reports each name once.
package struct MissingNames {
  /// A name that is not defined.
  package enum Name: Equatable {
    case thread(UInt32)
    case string(UInt64)
    case mode(UInt8)
    /// A number that cannot be a mode.
    case noMode(UInt64)
  }

  /// The name, and the time of the first event that uses it.
  package struct Found {
    package let name: Name
    package let time: UInt64
  }

  /// The arguments that are names, by kind.
  private static let kinds: [(kind: EventKind, strings: [Int], modes: [Int])] =
    EventTable.definitions.compactMap { row in
      func places(_ unit: ArgumentUnit) -> [Int] {
        row.arguments.indices.filter { row.arguments[$0].unit == unit }
      }
      let (strings, modes) = (places(.string), places(.mode))
      return strings.isEmpty && modes.isEmpty ? nil : (row.kind, strings, modes)
    }

  private let threads: Set<UInt32>
  /// A bit for each defined string.
  private var strings: [UInt64] = []
  private var modes = SIMD4<UInt64>()
  private var missedThreads: Set<UInt32> = []
  private var missedStrings: Set<UInt64> = []
  /// Whether missing names can be determined: false for a trace that lost definitions or may have lost some.
  private let isKnown: Bool
  /// The number of names found so far, and the number at which the search stops.
  package private(set) var count = 0
  private let limit: Int

  package init(_ reader: TraceReader, limit: Int) {
    self.limit = limit
    isKnown = reader.isClean
    threads = Set(reader.threads.keys)
    strings = [UInt64](repeating: 0, count: Int(reader.strings.keys.max() ?? 0) / 64 + 1)
    strings[0] = 1
    for id in reader.strings.keys { strings[Int(id) / 64] |= 1 << UInt64(id % 64) }
    // 255 stands for all modes beyond the table.
    for mode in [0, ModeDefinition.overflowID] + Array(reader.modes.keys) { note(mode) }
  }

  private mutating func note(_ mode: UInt8) { modes[Int(mode) / 64] |= 1 << UInt64(mode % 64) }

  private func isDefined(_ mode: UInt8) -> Bool { modes[Int(mode) / 64] >> UInt64(mode % 64) & 1 != 0 }

  /// Checks a block of a thread. Returns the missing names that first occur in it, in event order.
  package mutating func look(at events: DecodedEvents) -> [Found] {
    guard isKnown, count < limit else { return [] }
    var found: [Found] = []
    if !threads.contains(events.thread), missedThreads.insert(events.thread).inserted, events.count > 0 {
      found.append(Found(name: .thread(events.thread), time: unsafe events.times[0]))
      count += 1
    }
    let unknown = events.modesUsed & ~modes
    if unknown != SIMD4() {
      for i in 0..<events.count where count < limit && !isDefined(unsafe events.modes[i]) {
        let mode = unsafe events.modes[i]
        note(mode)
        found.append(Found(name: .mode(mode), time: unsafe events.times[i]))
        count += 1
      }
    }
    for row in MissingNames.kinds where count < limit && events.hasArguments(kind: row.kind.rawValue) {
      look(at: row, events, &found)
    }
    return found.count > 1 ? found.ordered { $0.time < $1.time } : found
  }

  private mutating func look(
    at row: (kind: EventKind, strings: [Int], modes: [Int]), _ events: DecodedEvents, _ found: inout [Found]
  ) {
    let kind = row.kind.rawValue
    // The time of an event is looked up only when a name is missing.
    var at = -1, passed = -1
    func time(_ ordinal: Int) -> UInt64 {
      while passed < ordinal {
        at += 1
        if unsafe events.kinds[at] == kind { passed += 1 }
      }
      return unsafe events.times[at]
    }
    for ordinal in 0..<events.argumentRows(kind: kind) where count < limit {
      for place in row.strings {
        guard let id = events.argument(place, kind: kind, ordinal: ordinal) else { continue }
        if id < 64 * UInt64(strings.count), strings[Int(id) / 64] >> (id % 64) & 1 != 0 { continue }
        guard missedStrings.insert(id).inserted else { continue }
        found.append(Found(name: .string(id), time: time(ordinal)))
        count += 1
      }
      for place in row.modes {
        guard let id = events.argument(place, kind: kind, ordinal: ordinal) else { continue }
        if let mode = UInt8(exactly: id) {
          guard !isDefined(mode) else { continue }
          note(mode)
          found.append(Found(name: .mode(mode), time: time(ordinal)))
        } else {
          found.append(Found(name: .noMode(id), time: time(ordinal)))
        }
        count += 1
      }
    }
  }
}
