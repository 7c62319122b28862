import TraceAnalysis
import TraceFormat
import TraceTables
import TraceValidation

/// Writes the problems of a trace as JSON. docs/reference/commands/validate.md defines each key.
public enum ValidationJSON {
  /// A validated trace.
  public struct Entry {
    let file: String
    let unit: TimeUnit
    let validation: Validation

    public init(file: String, _ reader: TraceReader, _ validation: Validation) {
      self.file = file
      unit = reader.header.timeUnit
      self.validation = validation
    }
  }

  public static func encode(_ entries: [Entry]) throws -> String { try document.encode(entries) }

  /// Returns the JSON Schema of the document.
  public static func jsonSchema() throws -> String { try document.jsonSchema() }

  private static let document = JSONDocument<Entry>("rltrace.validation/1", "whether a trace is sound") {
    Column("file", "as it was named") { $0.file }
    Column("outcome", "sound, illegal, cut-short or damaged: the gravest of all problems") {
      $0.validation.fault?.rawValue ?? "sound"
    }
    Column("events", "in intact blocks") { $0.validation.events }
    Column("event_blocks", "that are intact") { $0.validation.eventBlocks }
    Column("lost_bytes", "of the file, that were not used") { $0.validation.loss.bytes }
    Column("lost_events", "that are known to be lost") { $0.validation.loss.events }
    Column("more_events", "that may be lost besides, at most; null = nobody knows how many") {
      $0.validation.loss.more
    }
    Column("omitted", "problems that are not listed") { $0.validation.omitted }
    Column.rows(problems) { entry in entry.validation.problems.map { ($0, entry.unit) } }
  }

  private static let problems = ResultTable<(problem: Problem, unit: TimeUnit)>(
    "problems", "one row per problem, in file order"
  ) {
    Column("kind", "illegal, cut-short or damaged") { $0.problem.fault.rawValue }
    Column("block", "its number, from 0") { $0.problem.block }
    Column("byte", "where the block begins, or what is no block") { $0.problem.offset }
    Column("time_ns", "of the event, or the first that was lost; null = not known") { row in
      row.problem.time.map { row.unit.nanoseconds(of: $0) }
    }
    Column("thread", "its index; null = not known, or of none") { $0.problem.thread.map(UInt64.init) }
    Column("what", "is wrong: a sentence") { $0.problem.what }
  }
}
