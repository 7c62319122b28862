import TraceFormat
import TraceReplay

/// Checks that everything that events refer to is defined. Reports each missing name once.
struct References {
  private var names: MissingNames

  /// `limit`: the number of names that are listed.
  init(_ reader: TraceReader, limit: Int) { names = MissingNames(reader, limit: limit) }

  mutating func look(at events: DecodedEvents, _ problems: inout ProblemList) {
    for found in names.look(at: events) { problems.add(found.time, words(found.name)) }
  }

  private func words(_ name: MissingNames.Name) -> String {
    switch name {
    case .thread(let thread): "thread \(thread) is not in the table of threads"
    case .string(let id): "string \(id) is not in the table of strings"
    case .mode(let mode): "mode \(mode) is not in the table of modes"
    case .noMode(let id): "mode \(id) is not allowed in a trace"
    }
  }
}
