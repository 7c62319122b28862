import TraceFormat

/// Whether what events name is defined. Each name is missed once.
struct References {
  private let reader: TraceReader
  /// Of a trace that lost definitions, or may have, nobody can say.
  private let isKnown: Bool
  private var missedStrings: Set<UInt64> = []
  private var missedModes: Set<UInt8> = []
  private var missedThreads: Set<UInt32> = []

  init(_ reader: TraceReader) {
    self.reader = reader
    isKnown = reader.isClean
  }

  mutating func look(at events: DecodedEvents, _ entry: BlockEntry, _ problems: inout ProblemList) {
    // What is missed is kept, so that it is told once: no more than can be told.
    guard isKnown, !problems.isFull else { return }
    if reader.threads[entry.thread] == nil, missedThreads.insert(entry.thread).inserted {
      problems.add(entry.first, "thread \(entry.thread) is not in the table of threads")
    }
    var ordinals = [Int](repeating: 0, count: 256)
    for i in 0..<events.count where !problems.isFull {
      let kind = events.kinds[i]
      let ordinal = ordinals[Int(kind)]
      ordinals[Int(kind)] += 1
      miss(mode: UInt64(events.modes[i]), at: events.times[i], &problems)
      guard events.hasArguments(kind: kind), let row = EventTable.definition(of: EventKind(kind)) else {
        continue
      }
      for (place, definition) in row.arguments.enumerated() {
        guard let value = events.argument(place, kind: kind, ordinal: ordinal) else { break }
        switch definition.unit {
        case .string: miss(string: value, at: events.times[i], &problems)
        case .mode: miss(mode: value, at: events.times[i], &problems)
        default: break
        }
      }
    }
  }

  private mutating func miss(string id: UInt64, at time: UInt64, _ problems: inout ProblemList) {
    guard id != 0, UInt32(exactly: id).flatMap({ reader.strings[$0] }) == nil,
      missedStrings.insert(id).inserted
    else { return }
    problems.add(time, "string \(id) is not in the table of strings")
  }

  private mutating func miss(mode id: UInt64, at time: UInt64, _ problems: inout ProblemList) {
    // 255 stands for all modes beyond the table.
    guard id != 0, id != 255 else { return }
    guard let mode = UInt8(exactly: id) else {
      return problems.add(time, "mode \(id) is none that a trace can have")
    }
    guard reader.modes[mode] == nil, missedModes.insert(mode).inserted else { return }
    problems.add(time, "mode \(mode) is not in the table of modes")
  }
}
