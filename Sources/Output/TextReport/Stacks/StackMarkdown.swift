import CallStacks
import ReportWriting
import RunLoopVocabulary
import TraceTables

/// Writes the results about stacks as an answer in a bug tracker: the cause, the function, the evidence, and the
/// remedy.
package enum StackMarkdown {
  private static let framesShown = 12

  package static func lines(_ report: StackReport) -> [String] {
    var lines: [String] = []
    for thread in report.threads {
      if !lines.isEmpty { lines.append("") }
      lines += answer(thread, report)
    }
    lines += deadlocks(report)
    let evidence = report.notes
    if !evidence.isEmpty {
      lines += [""] + evidence.map { "* \(Markdown.escape($0))" }
    }
    lines += [
      "",
      Markdown.escape(
        "Read from \(report.files.joined(separator: ", ")): \(report.formatWords)"
          + (report.program.map { " of \($0)" } ?? "") + "."),
    ]
    return lines
  }

  private static func answer(_ thread: StackReport.Thread, _ report: StackReport) -> [String] {
    let title = Markdown.escape(thread.title)
    guard let main = thread.verdict.main else {
      return ["### \(title): it waited for events", "", "Nothing held the thread."]
    }
    let blamed = main.frame.map { Markdown.escape($0.name) }
    var lines = ["### \(title): \(main.cause.words)", ""]
    lines.append("**Function**: " + (blamed ?? "no function of the app is on the stack"))
    if let place = main.frame?.place { lines.append("**Place**: \(Markdown.escape(place))") }
    if let image = main.frame?.image { lines.append("**Image**: \(Markdown.escape(image))") }
    if let count = report.parts(blaming: main.frame) {
      lines.append("**Seen in**: \(count) of \(report.parts.count) texts")
    }
    if let rule = main.match?.rule {
      lines.append("**Why**: \(Markdown.escape(rule.means))")
      if let remedy = rule.remedy { lines.append("**What to do**: \(Markdown.escape(remedy))") }
    }
    let reasons = main.reasons.map(\.words).joined(separator: "; ")
    lines.append("**Confidence**: \(main.confidence.name): \(Markdown.escape(reasons))")
    for statement in report.statements where statement.section == thread.section {
      lines.append(
        "**Stated, \(Markdown.escape(statement.words))**: \(Markdown.escape(statement.value))"
          + (statement.meaning.map { " (\(Markdown.escape($0)))" } ?? ""))
    }
    // Two spaces end a line in Markdown.
    lines = lines.prefix(2) + lines.dropFirst(2).map { $0 + "  " }
    lines += ["", "The stack, innermost frame first:", ""]
    let frames = main.example.frames
    lines += Markdown.header(["", "function", "image", "place"])
    let shown = max(framesShown, (main.index ?? 0) + 3)
    for (index, frame) in frames.prefix(shown).enumerated() {
      let mark = index == main.index ? "blamed" : index == main.match?.index ? "waits here" : ""
      lines.append(Markdown.row([mark, frame.name, frame.image ?? "", frame.place ?? ""]))
    }
    if frames.count > shown { lines += ["", "\(frames.count - shown) more frames further out."] }
    return lines
  }

  private static func deadlocks(_ report: StackReport) -> [String] {
    report.deadlocks.flatMap { circle -> [String] in
      let who = circle.map { report.waiters[$0].title }
      let words =
        who.count == 1
        ? "\(who[0]) waits for itself" : who.joined(separator: " waits for ") + " waits for \(who[0])"
      return ["", "**Deadlock**: \(Markdown.escape(words))."]
    }
  }
}
