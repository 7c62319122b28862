import RunLoopVocabulary

/// Limits on everything that an import reads.
public enum ImportLimits {
  /// Each takes 32 bytes until the trace is written.
  public static let loopRows = 1 << 23
  public static let otherRows = 1 << 20
  /// Each takes 9 bytes.
  public static let values = 1 << 25
  public static let columns = 1 << 8
  public static let processes = 1 << 12
  public static let textBytes = 1 << 12
  public static let openIntervals = 1 << 12
  /// Each takes 24 bytes until the trace is written.
  public static let samples = 1 << 22
  public static let binaries = 1 << 12
  public static let frames = 1 << 19
  public static let stackFrames = 1 << 20
  /// A `thread.stack` event has two arguments more.
  public static let framesPerStack = 250
  /// As many as an analysis keeps.
  public static let writtenSamples = 1 << 16

  public static let all: [Limit] = [
    Limit("loopRows", loopRows, of: "rows about run loops in all files of an import", refusing: "import"),
    Limit("otherRows", otherRows, of: "other rows in all files of an import", refusing: "import"),
    Limit(
      "values", values, of: "values with an id in a file to import, and the largest id", refusing: "file"),
    Limit("columns", columns, of: "columns of a table to import", refusing: "file"),
    Limit("processes", processes, of: "processes in all files of an import", refusing: "import"),
    Limit("textBytes", textBytes, of: "UTF-8 bytes of a name to import", beyond: "cut at a character"),
    Limit(
      "openIntervals", openIntervals, of: "runs, iterations and waits of a thread that are open at a time",
      refusing: "import"),
    Limit("samples", samples, of: "sampled stacks in all files of an import", beyond: "left out and counted"),
    Limit("binaries", binaries, of: "binaries in all files of an import", beyond: "not known"),
    Limit(
      "frames", frames, of: "different frames in all files of an import",
      beyond: "their samples are left out and counted"),
    Limit(
      "stackFrames", stackFrames,
      of: "frames of the different stacks in all files of an import, where common outer frames count once",
      beyond: "their samples are left out and counted"),
    Limit(
      "framesPerStack", framesPerStack, of: "frames of a stack to import",
      beyond: "the outermost are left out"),
    Limit(
      "writtenSamples", writtenSamples, of: "stacks in an imported trace",
      beyond: "those of the shortest stays are left out"),
  ]
}
