import ReportWriting
import TraceGate

extension AnnotationReport {
  /// An error for each broken rule, a warning for each undecided one, and a notice with the numbers of rules.
  package init(_ gate: Gate, file: String, root: SourceRoot) {
    let summary = Annotation(.notice, check: Hint.gate, gate.summary)
    let faults = gate.entries.compactMap { Annotation($0, root) }
    self.init(annotations: faults + [summary], file: file, root: root)
  }

  /// The same for each test of a recorded test run.
  package init(_ tests: [TestGate], file: String, root: SourceRoot) {
    let summary = Annotation(.notice, check: Hint.gate, TestGateText.summary(tests))
    let faults = tests.flatMap { Annotation.all($0, root) }
    self.init(annotations: faults + [summary], file: file, root: root)
  }
}

extension Annotation {
  /// Nil if the rule holds. `test`: the name of the test that the rule judges.
  fileprivate init?(_ entry: GateEntry, test: String? = nil, _ root: SourceRoot) {
    let check = test.map { "\($0): \(entry.id)" } ?? entry.id
    switch entry.outcome {
    case .pass: return nil
    case .broken: self.init(.error, check: check, entry.message, root.place(of: entry.code))
    case .undecided: self.init(.warning, check: check, "undecided: \(entry.message)")
    }
  }

  fileprivate static func all(_ test: TestGate, _ root: SourceRoot) -> [Annotation] {
    let open = test.isOpen ? [Annotation(.warning, check: test.title, "undecided: \(TestGate.open)")] : []
    return test.gate.entries.compactMap { Annotation($0, test: test.title, root) } + open
  }
}
