// The module that a program imports to read and analyze traces.
@_exported import TraceAnalysis
@_exported import TraceCompression
@_exported import TraceFacts
@_exported import TraceFormat
@_exported import TraceReplay
