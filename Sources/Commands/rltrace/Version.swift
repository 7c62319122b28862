import TraceFormat

/// The semantic version of the tools.
let toolVersion = "0.1.0"

/// The output of `rltrace --version`.
let rltraceVersion = "rltrace \(toolVersion) (trace format \(FileHeader.major).\(FileHeader.minor))"
