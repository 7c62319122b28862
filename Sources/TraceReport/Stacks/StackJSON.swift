import CallStacks
import RunLoopVocabulary
import TraceTables

/// Writes the results about stacks as JSON. docs/reference/commands/stack.md defines each key.
public enum StackJSON {
  /// Writes the JSON in pieces, so that the whole text is never in memory.
  public static func write(_ report: StackReport, to write: @escaping (String) throws -> Void) throws {
    try document.write([report], to: write)
  }

  /// Returns the JSON Schema of the document.
  public static func jsonSchema() throws -> String { try document.jsonSchema() }

  private static let document = JSONDocument<StackReport>(
    "rltrace.stack/1", "stacks of another origin, judged"
  ) {
    Column("files", "the texts, as they were named") { $0.files }
    Column("format", "who wrote it, told from its content") { $0.format }
    Column("program", "that it is about; null where it does not say") { $0.program }
    Column("other_threads", "those that were not judged") { $0.otherThreads }
    Column("notes", "what is missing of the texts, and what was decided from their data") { $0.notes }
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
    "stated", "what the text itself says of the event that it was made for"
  ) {
    Column("section", "the diagnostic, where the text is about several") { $0.section }
    Column("subject", "termination, explanation, watchdog_event, allowance, duration, exception, …") {
      $0.subject
    }
    Column("value", "as the text has it") { $0.value }
    Column("meaning", "what it stands for; null where that is not known") { $0.meaning }
  }

  private static let parts = ResultTable<StackReport.Part>(
    "texts", "if several texts are judged together: each by itself"
  ) {
    Column("file", "as it was named") { $0.file }
    Column("samples", "how often its thread was seen") { $0.verdict.samples }
    Column.row(frame, as: "blamed", ifAny: { $0.verdict.main?.frame })
    Column("cause", "of the function to blame; null where the thread waited for events") {
      $0.verdict.main?.cause.name
    }
  }

  private static let deadlocks = ResultTable<Deadlock>(
    "deadlocks", "threads that wait for each other's locks, as far as the text says who holds them"
  ) {
    Column("threads", "each waits for a lock of the next, and the last for one of the first") {
      $0.threads.map(\.title)
    }
  }

  private static let locks = ResultTable<Wait>(
    "locks", "threads that wait for locks, judged or not, as far as the text says"
  ) {
    Column("thread", "that waits") { $0.waiter.title }
    Column("address", "of the lock; null where the text does not say") { $0.waiter.lock?.address }
    Column("name", "of the lock in the source") { $0.waiter.lock?.name }
    Column(
      "owner", "the thread that holds it, or that is waited for in the end; null where that is not known"
    ) {
      $0.owner?.title
    }
    Column("owner_id", "its id in the system; null where the text does not say") { $0.waiter.lock?.ownerID }
    Column("hops", "waits from the thread to the owner, if more than one; else null") { $0.waiter.lock?.hops }
  }

  private static let threads = ResultTable<StackReport.Thread>("threads", "one row per judged thread") {
    Column("section", "which process or diagnostic, where the text is about several") { $0.section }
    Column("number", "as the text numbers it") { $0.number }
    Column("id", "in the system") { $0.id }
    Column("name", "of the thread or its queue") { $0.name }
    Column("line", "where it begins in the text") { $0.line }
    Column("samples", "how often it was seen") { $0.verdict.samples }
    Column("waiting_samples", "of those, how often it waited for events") { $0.verdict.waitingSamples }
    Column.rows(groups) { $0.verdict.groups }
    Column(
      "groups_omitted", "functions to blame beyond the \(StackLimits.groupsListed) that are listed"
    ) { $0.verdict.omittedGroups }
  }

  private static let groups = ResultTable<BlameGroup>(
    "groups", "the stacks that did not wait, by the function to blame; the heaviest first"
  ) {
    Column.row(frame, as: "blamed", ifAny: { $0.frame })
    Column("samples", "its stacks") { $0.samples }
    Column("share", "of all stacks that did not wait for events, 0 to 1") { fourDigits($0.share) }
    Column("confidence", "high, medium, low or none") { $0.confidence.name }
    Column("confidence_reasons", "why: what limits it comes first") { $0.reasons.map(\.name) }
    Column("confidence_text", "the same in words") { $0.reasons.map(\.words).joined(separator: "; ") }
    Column("cause", "drawing, network, disk, cpu, lock, ipc, suspended or unknown") { $0.cause.name }
    Column("rule", "that decided the cause; null = none held") { $0.match?.rule?.id }
    Column("rule_is_built_in", "null without a rule") { $0.match?.rule?.isBuiltIn }
    Column("means", "what the rule says") { $0.match?.rule?.means }
    Column("remedy", "what to do; null where the rule has none") { $0.match?.rule?.remedy }
    Column.row(frame, as: "matched", ifAny: { $0.match?.frame })
    Column.row(frame, as: "called_by", ifAny: { $0.match?.caller })
    Column.rows(frames) { $0.example.frames }
  }

  private static let frame = ResultTable<StackFrame>("frame", "one call") { StackTables.frameColumns }
  private static let frames = ResultTable<StackFrame>("frames", "the heaviest stack, innermost first") {
    StackTables.frameColumns
  }
}
