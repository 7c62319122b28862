import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceReplay
import TraceReport

/// docs/schema: what holds for each document. RLTRACE_UPDATE_GOLDEN=1 writes it anew.
@Suite struct SchemaTests {
  private static let path = "docs/schema/analysis-1.json"

  @Test func itIsWhatTheColumnsSay() throws {
    let schema = try AnalysisJSON.jsonSchema()
    let file = ProjectFiles.root.appendingPathComponent(Self.path)
    if ProcessInfo.processInfo.environment["RLTRACE_UPDATE_GOLDEN"] == "1" {
      try schema.write(to: file, atomically: true, encoding: .utf8)
    } else {
      #expect(try schema == ProjectFiles.text(Self.path), "\(Self.path) is stale")
    }
  }

  /// By the validator of the field, tools/install-deps installs it; and it refuses what is not so.
  @Test func documentsKeepToIt() throws {
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
              print(document["file"], error.json_path, error.message[:300])
      spoilt = [copy.deepcopy(documents[0]) for _ in range(4)]
      del spoilt[0]["modes"]
      spoilt[1]["more"] = 1
      spoilt[2]["trace"]["events"] = None
      spoilt[3]["verdict"]["text"] = 7
      for number, document in enumerate(spoilt):
          if validator.is_valid(document): print("not refused:", number)
      print("validated", len(documents))
      """
    try script.write(toFile: folder.file("validate.py"), atomically: true, encoding: .utf8)
    let monitors = Detector.all.map(\.name).joined(separator: ",")
    let run = try Program.rltrace.run(
      ["analyze", "--format", "json", "--profile", "watchdog", "--detector", monitors]
        + SampleTraces.analyzable.map(SampleTraces.path))
    try run.output.write(toFile: folder.file("documents.json"), atomically: true, encoding: .utf8)
    let validated = try Program(path: "/usr/bin/python3").run([
      folder.file("validate.py"), ProjectFiles.root.appendingPathComponent(Self.path).path,
      folder.file("documents.json"),
    ])
    #expect(
      validated.status == 0 && validated.output == "validated \(SampleTraces.analyzable.count)\n",
      "\(validated.output.prefix(3000)) \(validated.errors)")
  }
}
