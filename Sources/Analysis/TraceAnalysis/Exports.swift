// Code that analyzes traces also needs the types of the results.
@_exported import TraceFindings
@_exported import TraceResults
