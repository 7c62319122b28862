import TraceFormat

/// Why there is no prediction.
package enum WhatIfError: Error {
  /// The trace cannot be read.
  case trace(TraceFormatError)
  /// A change cannot be read, or names nothing in the trace.
  case usage(String)
  /// The trace or the change does not allow a prediction. The reason, without a full stop.
  case undecided(String)

  /// The reason in words.
  package var reason: String {
    switch self {
    case .trace(let error): "\(error)"
    case .usage(let what), .undecided(let what): what
    }
  }
}
