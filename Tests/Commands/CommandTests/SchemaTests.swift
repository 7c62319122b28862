import Foundation
import JudgementReport
import TestSupport
import Testing
import TextReport
import TraceAnalysis
import TraceReplay

/// The schemas of the documents, in docs/schema. RLTRACE_UPDATE_GOLDEN=1 rewrites them.
@Suite struct SchemaTests {
  enum Kind: String, CaseIterable {
    case analysis, comparison, doctor, fleet, gate, stack, summary, topology, validation
    case topologyDifference = "topology-diff"
    case gateOfTests = "gate-tests"
    case whatIf = "what-if"

    var path: String { "docs/reference/schema/\(rawValue)-1.json" }

    var schema: String {
      get throws {
        switch self {
        case .analysis: try AnalysisJSON.document.jsonSchema()
        case .comparison: try ComparisonJSON.document.jsonSchema()
        case .doctor: try DoctorJSON.document.jsonSchema()
        case .gate: try GateJSON.document.jsonSchema()
        case .gateOfTests: try TestGateJSON.document.jsonSchema()
        case .fleet: try FleetJSON.document.jsonSchema()
        case .summary: SummarySchema.text()
        case .stack: try StackJSON.document.jsonSchema()
        case .validation: try ValidationJSON.document.jsonSchema()
        case .topology: try TopologyJSON.document.jsonSchema()
        case .topologyDifference: try TopologyJSON.differenceDocument.jsonSchema()
        case .whatIf: try WhatIfReport.document.jsonSchema()
        }
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func schemasMatchTheColumns(kind: Kind) throws {
    let schema = try kind.schema
    if ProcessInfo.processInfo.environment["RLTRACE_UPDATE_GOLDEN"] == "1" {
      try schema.write(
        to: ProjectFiles.root.appendingPathComponent(kind.path), atomically: true, encoding: .utf8)
    } else {
      #expect(try schema == ProjectFiles.text(kind.path), "\(kind.path) is stale")
    }
  }

  @Test func analysesAreValid() throws {
    let monitors = Detector.all.map(\.name).joined(separator: ",")
    let run = try Program.rltrace.run(
      ["analyze", "--format", "json", "--profile", "watchdog", "--detector", monitors]
        + SampleTraces.analyzable.map(SampleTraces.path))
    try validate(
      run.output, count: SampleTraces.analyzable.count, .analysis, spoiling: ["trace.events", "verdict.text"])
  }

  /// Compares each sample with the next one, so that many items occur in only one of the two.
  @Test func comparisonsAreValid() throws {
    let traces = SampleTraces.analyzable.map(SampleTraces.path)
    let documents = try zip(traces, traces.dropFirst()).map {
      try Program.rltrace.run(["compare", "--format", "json", $0, $1]).output
    }
    try validate(
      "[\(documents.joined(separator: ","))]", count: documents.count, .comparison,
      spoiling: ["base.events", "verdict.headline", "rows.0.difference", "relevant.share"])
  }

  @Test func doctorsAreValid() throws {
    let documents = try [[], [Program.loopPrograms.path], ["/no such program"]].map {
      try Program.rltrace.run(["doctor", "--format", "json"] + $0).output
    }
    try validate(
      "[\(documents.joined(separator: ","))]", count: 3, .doctor,
      spoiling: ["can_record", "checks.0.state", "checks.0.advice"])
  }

  @Test func gatesAreValid() throws {
    let rules = [
      "max(busy) < 250ms", "skipped() <= baseline", "utilisation() < 80%", "count(busy, at_least=hang) == 0",
    ].flatMap { ["--rule", $0] }
    let base = SampleTraces.virtual("starvation-common")
    let documents = try SampleTraces.analyzable.map(SampleTraces.path).flatMap { trace in
      try [[], rules, rules + ["--baseline", base], ["--baseline", "/nowhere.rltrace"]].map {
        try Program.rltrace.run(["gate", "--format", "json", trace] + $0).output
      }
    }
    try validate(
      "[\(documents.joined(separator: ","))]", count: documents.count, .gate,
      spoiling: ["outcome", "verdict.text", "rules.0.outcome"])
  }

  @Test func stacksAreValid() throws {
    let folder = ProjectFiles.root.appendingPathComponent("Tests/Fixtures/Stacks").path
    let documents = try ["sample.txt", "location.txt", "metrickit.json", "app.hang"].map {
      try Program.rltrace.run(["stack", "--format", "json", "--all", "\(folder)/\($0)"]).output
    }
    try validate(
      "[\(documents.joined(separator: ","))]", count: documents.count, .stack,
      spoiling: ["format", "threads.0.samples", "threads.0.groups.0.cause"])
  }

  @Test func validationsAreValid() throws {
    let folder = try TemporaryFolder()
    let bytes = try SampleTraces.bytes(virtual: "modes")
    let cut = folder.file("cut.rltrace")
    try Data(bytes.dropLast(bytes.count / 3)).write(to: URL(fileURLWithPath: cut))
    let run = try Program.rltrace.run(["validate", "--format", "json", cut, SampleTraces.virtual("modes")])
    try validate(run.output, count: 2, .validation, spoiling: ["outcome", "events", "problems.0.byte"])
  }

  @Test func topologiesAreValid() throws {
    let log = ProjectFiles.root.appendingPathComponent("Tests/Fixtures/Dumps/notes-app.log").path
    let folder = try TemporaryFolder()
    let linux = folder.file("linux.txt")
    try Program.loopPrograms.run(["inventory"]).output.write(
      toFile: linux, atomically: true, encoding: .utf8)
    let loops = try [[log], [log, "--index", "2"], [linux]].map {
      try Program.rltrace.run(["topology", "--format", "json"] + $0).output
    }
    try validate(
      "[\(loops.joined(separator: ","))]", count: 3, .topology,
      spoiling: ["loop", "form", "modes.0.name", "modes.0.sources0.0.order"])
    let differences = try [[log, log], [log, linux], [linux, log]].map {
      try Program.rltrace.run([
        "topology", "--format", "json", $0[0], "--diff", $0[1], "--diff-index", "2",
      ]).output
    }
    try validate(
      "[\(differences.joined(separator: ","))]", count: 3, .topologyDifference,
      spoiling: ["same_process", "added.0.kind", "base.file"])
  }

  /// Validates the documents with the usual validator, which tools/install-deps installs. It must refuse documents
  /// with a missing key, an additional key, or an invalid value.
  private func validate(_ documents: String, count: Int, _ kind: Kind, spoiling paths: [String]) throws {
    let folder = try TemporaryFolder()
    let script = """
      import copy, json, sys
      from jsonschema import Draft202012Validator
      schema = json.load(open(sys.argv[1]))
      Draft202012Validator.check_schema(schema)
      validator = Draft202012Validator(schema)
      documents = json.load(open(sys.argv[2]))
      for document in documents:
          for error in validator.iter_errors(document):
              print(document.get("file"), error.json_path, error.message[:300])
      def spoil(what, change):
          spoilt = copy.deepcopy(documents[0])
          change(spoilt)
          if validator.is_valid(spoilt): print("not refused:", what)
      spoil("more", lambda document: document.update(more=1))
      for key in documents[0]: spoil(key, lambda document: document.pop(key))
      for path in sys.argv[3:]:
          def change(value):
              *inner, last = path.split(".")
              for key in inner: value = value[int(key)] if key.isdigit() else value[key]
              value[last] = []
          spoil(path, change)
      print("validated", len(documents))
      """
    try script.write(toFile: folder.file("validate.py"), atomically: true, encoding: .utf8)
    try documents.write(toFile: folder.file("documents.json"), atomically: true, encoding: .utf8)
    let validated = try Program(path: "/usr/bin/python3").run(
      [
        folder.file("validate.py"), ProjectFiles.root.appendingPathComponent(kind.path).path,
        folder.file("documents.json"),
      ] + paths)
    #expect(
      validated.status == 0 && validated.output == "validated \(count)\n",
      "\(validated.output.prefix(3000)) \(validated.errors)")
  }
}
