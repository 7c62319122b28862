import CallStacks
import ReportWriting
import TraceAnalysis
import TraceFormat

/// Writes the results about stacks as text for people.
package struct StackText {
  /// The maximum number of further functions to blame, and of frames.
  private static let groupsShown = 10
  private static let framesShown = 40
  private static let longestName = 160

  private let report: StackReport
  private let style: TextStyle

  package init(_ report: StackReport, style: TextStyle) {
    self.report = report
    self.style = style
  }

  /// Writes line by line, so that the whole text is never in memory.
  package func write(_ line: (String) throws -> Void) rethrows {
    let files = report.files
    var about = files.count == 1 ? harmless(files[0], limit: 200) : "\(files.count) texts"
    about += ": \(report.formatWords)"
    if let program = report.program { about += " (\(shown(program)))" }
    try line(about)
    try notes().forEach(line)
    for section in statedSections where !report.threads.contains(where: { $0.section == section }) {
      try stated(section).forEach(line)
    }
    var said: Set<String?> = []
    for thread in report.threads {
      if report.threads.count + report.otherThreads > 1 || thread.name != nil {
        try ["", style.strong(shown(thread.title))].forEach(line)
      }
      if said.insert(thread.section).inserted { try stated(thread.section).forEach(line) }
      try lines(of: thread.verdict).forEach(line)
    }
    try parts().forEach(line)
    try locks().forEach(line)
    if report.otherThreads > 0 {
      let count = report.otherThreads
      try line("")
      try line(
        "\(count) other \(count == 1 ? "thread was" : "threads were") not judged: \(Hint.otherThreads)"
      )
    }
  }

  // MARK: Statements of the texts

  private func notes() -> [String] {
    guard !report.notes.isEmpty else { return [] }
    let more = report.notes.count - Self.notesShown
    return report.notes.prefix(Self.notesShown).flatMap { style.labelled("note", shown($0)) }
      + (more > 0 ? style.labelled("", "and \(more) more notes; \(Hint.json)") : [])
  }

  private static let notesShown = 8

  private var statedSections: [String?] {
    var sections: [String?] = []
    for statement in report.statements where !sections.contains(statement.section) {
      sections.append(statement.section)
    }
    return sections
  }

  private func stated(_ section: String?) -> [String] {
    report.statements.filter { $0.section == section }.flatMap { statement in
      style.labelled(
        "stated",
        "\(statement.words): \(shown(statement.value))" + (statement.meaning.map { " (\($0))" } ?? ""))
    }
  }

  /// Returns a line for each of several texts.
  private func parts() -> [String] {
    guard !report.parts.isEmpty else { return [] }
    return ["texts"]
      + report.parts.flatMap { part in
        let main = part.verdict.main
        let blamed = main.map { "\($0.frame.map(described) ?? "no function of the app"), \($0.cause.words)" }
        return style.wrapped(
          "\(harmless(part.file, limit: 80)): \(blamed ?? "waited for events")", indent: "  ", hanging: "    "
        )
      }
  }

  // MARK: Locks

  /// Returns which thread waits for which, if it is known, and the waits without a known owner.
  private func locks() -> [String] {
    var lines: [String] = []
    for circle in report.deadlocks {
      let who = circle.map { shown(report.waiters[$0].title) }
      let words =
        circle.count == 1
        ? waitsForItself(circle[0], who[0])
        : zip(circle.indices, who).map { place, thread in
          waits(circle[place], thread, who[(place + 1) % who.count])
        }.joined(separator: ", and ")
      lines += style.labelled(
        "deadlock", "\(words): \(circle.count == 1 ? "it cannot continue" : "none of them can continue").")
    }
    let inCircle = Set(report.deadlocks.flatMap(\.self))
    for place in report.waiters.indices where !inCircle.contains(place) {
      guard let owner = owner(place) else { continue }
      lines += style.labelled("waits", waits(place, shown(report.waiters[place].title), owner) + ".")
    }
    let unknown = report.waiters.indices.filter { place in
      report.waiters[place].lock != nil && owner(place) == nil
    }
    if unknown.count > 1 || unknown.count == 1 && !lines.isEmpty { lines += unclaimed(unknown) }
    return lines.isEmpty ? [] : [""] + lines
  }

  private func isForQueue(_ place: Int) -> Bool { report.waiters[place].lock?.isQueue ?? false }

  /// The awaited thing, such as `a lock (0x1000)`.
  private func awaited(_ place: Int) -> String {
    (isForQueue(place) ? "a dispatch queue" : "a lock") + named(place)
  }

  private func isDirect(_ place: Int) -> Bool { report.waiters[place].lock?.hops ?? 1 < 2 }

  private func waitsForItself(_ place: Int, _ thread: String) -> String {
    let lock = "\(thread) waits for \(awaited(place))"
    // The text does not name the threads in between.
    if report.waiters[place].lock?.isDeadlock ?? false {
      return "\(lock) and, through other threads, for itself: the text marks it as part of a deadlock"
    }
    return isDirect(place) ? "\(lock) that it holds itself" : "\(lock) and, through other threads, for itself"
  }

  private func waits(_ place: Int, _ thread: String, _ owner: String) -> String {
    let wait = "\(thread) waits for \(awaited(place))"
    guard isDirect(place) else { return "\(wait) and, through other threads, for \(owner)" }
    return isForQueue(place) ? "\(wait) whose blocks \(owner) runs" : "\(wait) that \(owner) holds"
  }

  private func owner(_ place: Int) -> String? {
    if let owner = report.owners[place] { return shown(report.waiters[owner].title) }
    switch report.waiters[place].lock?.owner {
    // Some tools write the id in hexadecimal, others in decimal.
    case .thread(let id): return "thread 0x\(String(id, radix: 16)) (\(id))"
    case .mainThread: return "the main thread"
    case .itself, nil: return nil
    }
  }

  /// The number of listed threads; further ones are counted.
  private static let waitersShown = 8

  private func unclaimed(_ places: [Int]) -> [String] {
    let addresses = places.map { report.waiters[$0].lock?.address }
    let isOne = places.count == 1 || addresses.allSatisfy { $0 != nil && $0 == addresses[0] }
    let some = places.prefix(Self.waitersShown).map { place in
      shown(report.waiters[place].title) + (isOne ? "" : named(place))
    }
    let others = places.count - some.count
    var words = some.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
    let queues = places.count(where: isForQueue)
    let (one, all) = queues == 0 ? ("lock", "locks") : ("dispatch queue", "dispatch queues")
    let kinds = queues == 0 || queues == places.count ? all : "locks and dispatch queues"
    words +=
      places.count == 1 ? " waits for a \(one)" : isOne ? " wait for the same \(one)" : " wait for \(kinds)"
    words +=
      isOne
      ? "\(named(places[0])). The text does not show its owner" : ". The text does not show their owners"
    words += isOne ? "." : "; the threads may or may not wait for each other."
    if let address = addresses.lazy.compactMap(\.self).first {
      words +=
        " In gdb, 'x/3dw 0x\(String(address, radix: 16))' shows a lock: the third number is the LWP of the thread that "
        + "holds it. Append the output to the stacks."
    }
    return style.labelled("locks", words)
  }

  /// Returns the lock as the text names it.
  private func named(_ place: Int) -> String {
    guard let lock = report.waiters[place].lock, let address = lock.address else { return "" }
    return " (0x" + String(address, radix: 16) + (lock.name.map { " \(shown($0))" } ?? "") + ")"
  }

  // MARK: Verdicts

  private func shown(_ name: String) -> String { elided(name, limit: Self.longestName) }

  private func lines(of verdict: StackVerdict) -> [String] {
    guard let main = verdict.main else {
      let waited = verdict.samples == 1 ? "" : " in each of its \(count(verdict.samples))"
      return style.labelled("blamed", "nothing: the thread waited for events\(waited)")
        + ruleRows(verdict.waiting)
    }
    let inParts = report.parts(blaming: main.frame).map { ", in \($0) of \(report.parts.count) texts" } ?? ""
    var lines = style.labelled("blamed", (main.frame.map(described) ?? "no function of the app") + inParts)
    lines += style.labelled("cause", main.cause.words)
    lines += ruleRows(main.match)
    lines += style.labelled(
      "confidence", "\(main.confidence.name): \(main.reasons.map(\.words).joined(separator: "; "))")
    if verdict.samples > 1 {
      let waited = verdict.waitingSamples
      lines += style.labelled(
        "seen", count(verdict.samples) + (waited > 0 ? "; \(waited) waited for events" : ""))
    }
    lines += others(verdict)
    lines += stack(main)
    return lines
  }

  private func count(_ samples: UInt64) -> String { Phrase.count(samples, "sample", "samples") }

  private func ruleRows(_ match: CauseMatch?) -> [String] {
    guard let match, let rule = match.rule else {
      return style.labelled("rule", "no rule applies; \(Hint.ownRules)")
    }
    var by = rule.id
    if !rule.isBuiltIn { by += " (yours)" }
    if let frame = match.frame { by += ", by \(described(frame))" }
    if let caller = match.caller { by += ", called by \(described(caller))" }
    return style.labelled("rule", by) + style.labelled("means", rule.means)
      + (rule.remedy.map { style.labelled("remedy", $0) } ?? [])
  }

  /// Returns a description such as `readFiles() main.swift:41 (MyApp)`.
  private func described(_ frame: StackFrame) -> String {
    var text = shown(frame.name)
    if let place = frame.place { text += " \(shown(place))" }
    if frame.function != nil, let image = frame.image { text += " (\(shown(image)))" }
    return text
  }

  private func others(_ verdict: StackVerdict) -> [String] {
    let groups = verdict.groups.dropFirst()
    guard !groups.isEmpty else { return [] }
    var lines = ["others"]
    for group in groups.prefix(Self.groupsShown) {
      let percent = "\((group.share * 1000).rounded() / 10) %"
      let what = "\(group.frame.map(described) ?? "no function of the app"), \(group.cause.words)"
      lines += style.wrapped("\(percent) \(what)", indent: "  ", hanging: "    ")
    }
    let more = groups.count + verdict.omittedGroups - Self.groupsShown
    if more > 0 { lines.append("  and \(more) more") }
    return lines
  }

  /// Returns the stack with the most samples, with marks at the relevant functions.
  private func stack(_ group: BlameGroup) -> [String] {
    let frames = group.example.frames
    guard !frames.isEmpty else { return [] }
    let last = max(group.index ?? 0, group.match?.index ?? 0)
    // Frames further out than a few callers explain nothing.
    let end = min(frames.count, max(last + 4, 12))
    let begin = max(0, end - Self.framesShown)
    var lines = ["stack"]
    if begin > 0 { lines.append("     \(begin) more frames further in") }
    for index in begin..<end {
      let mark = index == group.index ? ">" : index == group.match?.index ? "*" : " "
      let line = "  \(mark) \(TextTable.pad("\(index)", 3, left: false))  \(described(frames[index]))"
      lines.append(index == group.index ? style.strong(style.fitting(line)) : style.fitting(line))
    }
    if end < frames.count { lines.append("     \(frames.count - end) more frames further out") }
    return lines
  }
}
