// The module that a test bundle imports to judge its run loops. Tests make named timers through the tracer of this module.
@_exported import RunLoopTrace
