import CallStacks
import ReportWriting
import RunLoopVocabulary
import TraceTables

/// Writes the results about stacks as JSON. docs/reference/commands/stack.md defines each key.
package enum StackJSON {
  package static let document = JSONDocument<StackReport>(
    "rltrace.stack/1", "result of judging stacks that another tool wrote"
  ) {
    Column("files", "file names of the texts, as given") { $0.files }
    Column("format", "format of the text, recognized by its content") { $0.format }
    Column("program", "program that the text describes; null = the text does not name it") { $0.program }
    Column("other_threads", "number of threads that were not judged") { $0.otherThreads }
    Column("notes", "missing parts of the texts, and decisions based on their content") { $0.notes }
    Column.rows(stated) { $0.statements }
    Column.rows(threads) { $0.threads }
    Column.rows(parts) { $0.parts }
    Column.rows(locks) { report in
      report.waiters.indices.filter { report.waiters[$0].lock != nil }.map {
        Wait(waiter: report.waiters[$0], owner: report.owners[$0].map { report.waiters[$0] })
      }
    }
    Column.rows(deadlocks) { report in
      report.deadlocks.map { circle in Deadlock(threads: circle.map { report.waiters[$0] }) }
    }
  }

  private struct Deadlock: Sendable { let threads: [StackReport.Waiter] }

  private struct Wait: Sendable {
    let waiter: StackReport.Waiter
    let owner: StackReport.Waiter?
  }

  private static let stated = ResultTable<StackReport.Statement>(
    "stated", "statements of the text about the event that it reports"
  ) {
    Column("section", "diagnostic that contains the statement, if the text has several") { $0.section }
    Column("subject", "termination, explanation, watchdog_event, allowance, duration, exception, …") {
      $0.subject
    }
    Column("value", "value as written in the text") { $0.value }
    Column("meaning", "meaning of the value; null = unknown") { $0.meaning }
  }

  private static let parts = ResultTable<StackReport.Part>(
    "texts", "verdict on each text, if several texts are judged together"
  ) {
    Column("file", "file name as given") { $0.file }
    Column("samples", "number of samples of its thread") { $0.verdict.samples }
    Column.row(frame, as: "blamed", ifAny: { $0.verdict.main?.frame })
    Column("cause", "cause of the blamed function; null = the thread waited for events") {
      $0.verdict.main?.cause.name
    }
  }

  private static let deadlocks = ResultTable<Deadlock>(
    "deadlocks", "cycles of threads that wait for each other's locks, if the text names the owners"
  ) {
    Column(
      "threads",
      "threads of the cycle; each waits for a lock of the next, and the last for a lock of the first"
    ) {
      $0.threads.map(\.title)
    }
  }

  private static let locks = ResultTable<Wait>(
    "locks", "threads that wait for locks according to the text, including threads that were not judged"
  ) {
    Column("thread", "thread that waits") { $0.waiter.title }
    Column("address", "address of the lock; null = not in the text") { $0.waiter.lock?.address }
    Column("name", "name of the lock in the source") { $0.waiter.lock?.name }
    Column(
      "owner", "thread that holds the lock, or the last thread of a chain of waits; null = unknown"
    ) {
      $0.owner?.title
    }
    Column("owner_id", "the operating system's id of the owner; null = not in the text") {
      $0.waiter.lock?.ownerID
    }
    Column("hops", "number of waits from the thread to the owner, if more than one; else null") {
      $0.waiter.lock?.hops
    }
  }

  private static let threads = ResultTable<StackReport.Thread>(
    "threads", "judged threads, one row per thread"
  ) {
    Column("section", "process or diagnostic that contains the thread, if the text has several") {
      $0.section
    }
    Column("number", "number of the thread in the text") { $0.number }
    Column("id", "the operating system's id of the thread") { $0.id }
    Column("name", "name of the thread or of its queue") { $0.name }
    Column("line", "line of the text where the thread begins") { $0.line }
    Column("samples", "number of samples of the thread") { $0.verdict.samples }
    Column("waiting_samples", "samples in which the thread waited for events") { $0.verdict.waitingSamples }
    Column.rows(groups) { $0.verdict.groups }
    Column(
      "groups_omitted", "number of blamed functions beyond the \(StackLimits.groupsListed) that are listed"
    ) { $0.verdict.omittedGroups }
  }

  private static let groups = ResultTable<BlameGroup>(
    "groups", "stacks that did not wait, one row per blamed function, the most samples first"
  ) {
    Column.row(frame, as: "blamed", ifAny: { $0.frame })
    Column("samples", "number of samples of its stacks") { $0.samples }
    Column("share", "share of all samples that did not wait for events, 0 to 1") { fourDigits($0.share) }
    Column("confidence", "high, medium, low or none") { $0.confidence.name }
    Column("confidence_reasons", "reasons for the confidence; those that limit it come first") {
      $0.reasons.map(\.name)
    }
    Column("confidence_text", "reasons for the confidence, in words") {
      $0.reasons.map(\.words).joined(separator: "; ")
    }
    Column("cause", "drawing, network, disk, cpu, lock, ipc, suspended or unknown") { $0.cause.name }
    Column("rule", "rule that gave the cause; null = no rule applied") { $0.match?.rule?.id }
    Column("rule_is_built_in", "whether the rule is built in; null = no rule applied") {
      $0.match?.rule?.isBuiltIn
    }
    Column("means", "explanation that the rule gives") { $0.match?.rule?.means }
    Column("remedy", "remedy that the rule gives; null = it has none") { $0.match?.rule?.remedy }
    Column.row(frame, as: "matched", ifAny: { $0.match?.frame })
    Column.row(frame, as: "called_by", ifAny: { $0.match?.caller })
    Column.rows(frames) { $0.example.frames }
  }

  private static let frame = ResultTable<StackFrame>("frame", "frame of a stack") { StackTables.frameColumns }
  private static let frames = ResultTable<StackFrame>(
    "frames", "stack with the most samples, innermost frame first"
  ) {
    StackTables.frameColumns
  }
}
