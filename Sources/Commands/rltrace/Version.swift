import TraceFormat

/// The output of `rltrace --version`.
let rltraceVersion = Release.of("rltrace")
