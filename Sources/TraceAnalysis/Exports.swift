// Who analyzes wants what comes of it.
@_exported import TraceFindings
@_exported import TraceResults
