import RunLoopVocabulary

/// Limits on everything that an import reads.
package enum ImportLimits {
  /// Each takes 32 bytes until the trace is written.
  package static let loopRows = 1 << 23
  package static let otherRows = 1 << 20
  /// Each takes 9 bytes.
  package static let values = 1 << 25
  package static let columns = 1 << 8
  package static let processes = 1 << 12
  package static let textBytes = 1 << 12
  package static let openIntervals = 1 << 12
  /// Each takes 24 bytes until the trace is written.
  package static let samples = 1 << 22
  package static let binaries = 1 << 12
  package static let frames = 1 << 19
  package static let stackFrames = 1 << 20
  /// A `thread.stack` event also has two other arguments.
  package static let framesPerStack = 250
  /// An analysis keeps no more samples than this.
  package static let writtenSamples = 1 << 16

  package static let all: [Limit] = [
    Limit("loopRows", loopRows, of: "rows about run loops", refusing: "import"),
    Limit("otherRows", otherRows, of: "other rows", refusing: "import"),
    Limit(
      "values", values, of: "values with an id in a file, and the largest id", refusing: "file"),
    Limit("columns", columns, of: "columns of a table", refusing: "file"),
    Limit("processes", processes, of: "processes", refusing: "import"),
    Limit("textBytes", textBytes, of: "UTF-8 bytes of a name", beyond: "cut at a character"),
    Limit(
      "openIntervals", openIntervals, of: "open runs, iterations and waits of a thread",
      refusing: "import"),
    Limit("samples", samples, of: "sampled stacks", beyond: "left out and counted"),
    Limit("binaries", binaries, of: "binaries", beyond: "not known"),
    Limit(
      "frames", frames, of: "different frames",
      beyond: "their samples left out and counted"),
    Limit(
      "stackFrames", stackFrames,
      of: "frames of the different stacks; common outer frames count once",
      beyond: "their samples left out and counted"),
    Limit(
      "framesPerStack", framesPerStack, of: "frames of a stack",
      beyond: "outermost left out"),
    Limit(
      "writtenSamples", writtenSamples, of: "stacks in the trace",
      beyond: "those of the shortest stays left out"),
  ]
}
