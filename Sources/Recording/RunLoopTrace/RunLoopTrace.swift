// The module that an app imports to record its own run loops.
@_exported import RunLoopProbe
@_exported import TraceRecorder
