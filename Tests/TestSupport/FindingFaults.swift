import TraceAnalysis
import TraceReplay

/// Returns the faults in the sentences of an analysis: numbers or names without evidence, and contradictions with its
/// other numbers. An empty list means that there are no faults.
package func findingFaults(_ analysis: Analysis) -> [String] {
  var faults = verdictFaults(analysis)
  for finding in analysis.findings.flatMap({ [$0] + $0.members }) {
    let wrong = unfounded(finding) + contradictions(finding, analysis) + groupFaults(finding)
    faults += wrong.map { "\($0), in: \(finding.rule.rawValue) \(finding.text) \(finding.remedy)" }
  }
  return faults + rankFaults(analysis.findings)
}

/// Checks the order: by severity; within a severity, the first finding of each rule before the second of any; then by
/// weight.
private func rankFaults(_ findings: [Finding]) -> [String] {
  var places: [String: Int] = [:]
  let placed = findings.map { finding in
    let kind = "\(finding.severity) \(finding.rule.rawValue)"
    defer { places[kind, default: 0] += 1 }
    return (finding: finding, place: places[kind, default: 0])
  }
  return zip(placed, placed.dropFirst()).compactMap { first, second in
    let (a, b) = (first.finding, second.finding)
    return (a.severity, first.place, b.weight) > (b.severity, second.place, a.weight)
      ? "not ranked: \(a.rule.rawValue) before \(b.rule.rawValue)" : nil
  }
}

/// Returns whether two findings of a rule are in order: by the times of their headlines, if these measure the same, else
/// by weight.
private func areRanked(_ a: Finding, _ b: Finding) -> Bool {
  guard let first = a.headline?.timeNs, let second = b.headline?.timeNs,
    a.headline?.label == b.headline?.label
  else { return a.weight >= b.weight }
  return first >= second
}

/// Checks that a finding about several subjects agrees with the finding of each subject, and that its numbers are
/// their sums.
private func groupFaults(_ finding: Finding) -> [String] {
  let members = finding.members
  guard !members.isEmpty else { return [] }
  var faults: [String] = []
  func expect(_ isRight: Bool, _ what: String) { if !isRight { faults.append(what) } }
  expect(members.count > 1, "a group of one")
  expect(members.allSatisfy { $0.members.isEmpty }, "a group of groups")
  expect(finding.findings == UInt64(members.count), "not as many findings as subjects")
  expect(
    members.allSatisfy {
      ($0.rule, $0.severity, $0.remedy) == (finding.rule, finding.severity, members[0].remedy)
        && $0.cause.text() == finding.cause.text()
    }, "a subject of another kind")
  expect(finding.weight == members.reduce(0) { $0 &+ $1.weight }, "another weight")
  expect(zip(members, members.dropFirst()).allSatisfy(areRanked), "subjects are not ranked")
  if let share = finding.headline?.share {
    let sum = members.compactMap(\.headline?.share).reduce((0, 0)) { ($0.0 &+ $1.part, $0.1 &+ $1.whole) }
    expect(share == sum, "\(share) is not the sum \(sum)")
  }
  return faults
}

private func verdictFaults(_ analysis: Analysis) -> [String] {
  let verdict = analysis.verdict
  let top = analysis.findings.first
  if let top, top.severity < .info {
    let isTop =
      verdict.outcome == .fault && verdict.rule == top.rule && verdict.severity == top.severity
      && verdict.text == top.text && verdict.remedy == top.remedy && namesOtherFaults(verdict, analysis)
    return isTop
      ? []
      : ["the verdict does not match the top finding and the other faults: \(verdict.text) \(verdict.also)"]
  }
  let didRun =
    analysis.loops.contains { $0.timeNs > 0 || $0.runs > 0 || $0.passes > 0 }
    || analysis.work.queues.contains { $0.begun > 0 || $0.callsSoFarNs.count > 0 }
  let isClear =
    didRun && !analysis.hasDoubtfulHangs && analysis.trace.clean && analysis.damage == nil
    && analysis.trace.contradictions == 0 && analysis.trace.damagedBlocks == 0
    && analysis.trace.unfollowed == 0
    && !analysis.notes.contains(where: \.reportsMissingEvents)
  guard verdict.outcome == (isClear ? .clear : .undecided) else {
    return ["\(verdict.outcome) although a loop \(didRun ? "ran" : "did not run"): \(verdict.text)"]
  }
  if verdict.text.contains("no run loop hung"),
    analysis.busy.contains(where: { $0.hangLengthNs >= 250_000_000 })
  {
    return ["a hang is in the tables: \(verdict.text)"]
  }
  if let top, isClear, verdict.rule != top.rule || !verdict.text.contains(top.text) {
    return ["the all-clear leaves out the info finding: \(verdict.text)"]
  }
  return []
}

/// Checks that the second sentence of the verdict names the next errors and warnings, and only those.
private func namesOtherFaults(_ verdict: Verdict, _ analysis: Analysis) -> Bool {
  let others = analysis.findings.dropFirst().filter { $0.severity < .info }
  let also = verdict.also
  return also.isEmpty == others.isEmpty
    && others.prefix(2).allSatisfy { other in
      also.contains(other.title) && other.headline.map { also.contains($0.value) } ?? true
    }
    && also.contains("more finding") == (others.count > 2)
}

// MARK: Sentence and evidence

/// Returns the quoted names and the numbers in the sentences that no evidence contains.
private func unfounded(_ finding: Finding) -> [String] {
  var faults: [String] = []
  var texts = [finding.text, finding.remedy, finding.headline?.value ?? ""]
  let names = Set(finding.evidence.flatMap(\.names).map(Sentence.written)).sorted { $0.count > $1.count }
  for at in texts.indices {
    for name in names { texts[at] = texts[at].replacing("\"\(name)\"", with: "…") }
    if texts[at].contains("\"") { faults.append("a name without evidence: \(texts[at])") }
  }
  var known: Set<String> = []
  for evidence in finding.evidence {
    known.formUnion(evidence.figures.map(\.text))
    if let duration = evidence.durationNs { known.insert(Units.duration(duration)) }
    if Set(evidence.figures.map(\.name)).count < evidence.figures.count {
      faults.append("two figures of one name: \(evidence.figures.map(\.name))")
    }
    var note = evidence.note
    for name in evidence.names.map(Sentence.written) { note = note.replacing("\"\(name)\"", with: "…") }
    let own = Set(evidence.figures.map(\.text))
    faults += numbers(note).filter { !own.contains($0) }.map { "\($0) in a note has no figure" }
  }
  faults += texts.flatMap(numbers).filter { !known.contains($0) }.map { "\($0) without evidence" }
  return faults
}

/// Returns the numbers in a text, with their units. Digits inside words (p99) do not count.
private func numbers(_ text: String) -> [String] {
  let characters = Array(text)
  var found: [String] = []
  var at = 0
  while at < characters.count {
    guard characters[at].isASCII, characters[at].isNumber else {
      at += 1
      continue
    }
    var end = at
    while end < characters.count, characters[end].isNumber || characters[end] == "." { end += 1 }
    var number = String(characters[at..<end])
    // A full stop ends the sentence, not the number.
    if number.last == "." { number.removeLast() }
    let isInWord = at > 0 && (characters[at - 1].isLetter || characters[at - 1] == "_")
    for unit in ["ns", "µs", "ms", "s", "%"] where characters.dropFirst(end).starts(with: " \(unit)") {
      let behind = characters.dropFirst(end + unit.count + 1).first
      if !(behind.map { $0.isLetter } ?? false) {
        number += " \(unit)"
        break
      }
    }
    if !isInWord { found.append(number) }
    at = max(end, at + 1)
  }
  return found
}

// MARK: Contradictions

private func contradictions(_ finding: Finding, _ analysis: Analysis) -> [String] {
  var faults: [String] = []
  let trace = analysis.trace
  let span = trace.toNs - trace.fromNs
  for evidence in finding.evidence {
    if let start = evidence.startNs {
      if start > trace.toNs { faults.append("evidence after the end") }
      if finding.rule != .taskExpired, evidence.durationNs ?? 0 > span {
        faults.append("longer than the span")
      }
    }
    if let callout = evidence.callout, !isKnown(callout, analysis) {
      faults.append("callout \(callout) is in no row of callouts")
    }
  }
  guard let id = finding.timer else { return faults }
  guard let timer = analysis.timers.first(where: { $0.id == id }), let ledger = timer.ledger else {
    return faults + ["about a timer that has no row"]
  }
  func figure(_ name: String) -> UInt64? {
    for figure in finding.evidence.flatMap(\.figures) where figure.name == name {
      switch figure.value {
      case .count(let value), .ns(let value), .moment(let value): return value
      default: return nil
      }
    }
    return nil
  }
  if let due = figure("due"), due != ledger.due { faults.append("\(due) due, but \(ledger.due) in the row") }
  if let interval = figure("interval_ns"), interval != timer.intervalNs { faults.append("another interval") }
  let said = figure("skipped") ?? 0
  if finding.rule == .starvedByMode || finding.rule == .starvedByBusy, let share = finding.headline?.share,
    share.part != said
  {
    faults.append("\(share.part) skipped in the headline, \(said) in the sentence")
  }
  if let cause = skippedFor[finding.rule], said != ledger.skippedBy[cause] {
    faults.append("\(said) skipped in the sentence, \(ledger.skippedBy[cause, default: 0]) in the row")
  }
  return faults
}

/// The cause of the skipped points that each rule reports.
private let skippedFor: [RuleID: Cause] = [
  .starvedByMode: .wrongMode, .declaredStarvation: .wrongMode, .starvedByBusy: .busy,
  .starvedByNoRun: .notRunning, .starvedByItself: .ownCallout, .lostWhileSuspended: .suspended,
]

/// Observers between two stamps have no row. Callouts beyond the row limit share the remainder row, and objects
/// without a name share a row.
private func isKnown(_ callout: String, _ analysis: Analysis) -> Bool {
  callout.hasPrefix("observers ")
    || analysis.callouts.contains { row in
      "\(row.kind) \(row.name)" == callout || row.isRemainder
        || row.name.hasSuffix("without a name") && callout.hasPrefix("\(row.kind) \(row.kind) #")
    }
}
