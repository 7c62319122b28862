// The module that a program imports to read and analyze traces:
//
//   let reader = try TraceReader(source: FileSource(path: "app.rltrace"), codecs: allCodecs)
//   for finding in try TraceAnalyzer(reader).analyze().findings { print(finding.rule.rawValue, finding.text) }
@_exported import TraceAnalysis
@_exported import TraceCompression
@_exported import TraceFacts
@_exported import TraceFormat
@_exported import TraceReplay
