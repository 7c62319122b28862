import TraceFormat

/// The version of the tools, semantic.
let toolVersion = "0.1.0"

/// What `rltrace --version` prints.
let rltraceVersion = "rltrace \(toolVersion) (trace format \(FileHeader.major).\(FileHeader.minor))"
