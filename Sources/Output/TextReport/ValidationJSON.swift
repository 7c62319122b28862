import ReportWriting
import TraceAnalysis
import TraceFormat
import TraceTables
import TraceValidation

/// Writes the problems of a trace as JSON. docs/reference/commands/validate.md defines each key.
package enum ValidationJSON {
  /// A validated trace.
  package struct Entry {
    let file: String
    let unit: TimeUnit
    let writer: String?
    let validation: Validation

    package init(file: String, _ reader: TraceReader, _ validation: Validation) {
      self.file = file
      unit = reader.header.timeUnit
      writer = reader.writer
      self.validation = validation
    }
  }

  package static let document = JSONDocument<Entry>("rltrace.validation/1", "result of checking a trace") {
    Column("file", "file name as given") { $0.file }
    Column.writtenBy { $0.writer }
    Column("outcome", "sound, or the most severe problem: illegal, cut-short or damaged") {
      $0.validation.fault?.rawValue ?? "sound"
    }
    Column("events", "number of events in intact blocks") { $0.validation.events }
    Column("event_blocks", "number of intact event blocks") { $0.validation.eventBlocks }
    Column("lost_bytes", "bytes of the file that were not used") { $0.validation.loss.bytes }
    Column("lost_events", "number of events that are known to be lost") { $0.validation.loss.events }
    Column("more_events", "maximum number of further events that may be lost; null = unknown") {
      $0.validation.loss.more
    }
    Column("omitted", "number of problems that are not listed") { $0.validation.omitted }
    Column.rows(problems) { entry in entry.validation.problems.map { ($0, entry.unit) } }
  }

  private static let problems = ResultTable<(problem: Problem, unit: TimeUnit)>(
    "problems", "problems of the file, one row per problem, in file order"
  ) {
    Column("kind", "illegal, cut-short or damaged") { $0.problem.fault.rawValue }
    Column("block", "number of the block, from 0") { $0.problem.block }
    Column("byte", "offset of the block, or of the region that is not a block") { $0.problem.offset }
    Column("time_ns", "time of the event, or of the first lost event; null = unknown") { row in
      row.problem.time.map { row.unit.nanoseconds(of: $0) }
    }
    Column("thread", "index of the thread; null = unknown, or no thread") {
      $0.problem.thread.map(UInt64.init)
    }
    Column("what", "the problem as a sentence") { $0.problem.what }
  }
}
