/// Limits on everything that an import reads.
package enum ImportLimits {
  /// Rows about run loops. Beyond: import refused. Each takes 32 bytes until the trace is written.
  package static let loopRows = 1 << 23
  /// Other rows. Beyond: import refused.
  package static let otherRows = 1 << 20
  /// Values with an id in a file, and the largest id. Beyond: file refused. Each takes 9 bytes.
  package static let values = 1 << 25
  /// Columns of a table. Beyond: file refused.
  package static let columns = 1 << 8
  /// Processes. Beyond: import refused.
  package static let processes = 1 << 12
  /// UTF-8 bytes of a name. Beyond: cut at a character.
  package static let textBytes = 1 << 12
  /// Open runs, iterations and waits of a thread. Beyond: import refused.
  package static let openIntervals = 1 << 12
  /// Sampled stacks. Beyond: left out and counted. Each takes 24 bytes until the trace is written.
  package static let samples = 1 << 22
  /// Binaries. Beyond: not known.
  package static let binaries = 1 << 12
  /// Different frames. Beyond: their samples left out and counted.
  package static let frames = 1 << 19
  /// Frames of the different stacks; common outer frames count once. Beyond: their samples left out and counted.
  package static let stackFrames = 1 << 20
  /// Frames of a stack. Beyond: outermost left out. A `thread.stack` event also has two other arguments.
  package static let framesPerStack = 250
  /// Stacks in the trace. Beyond: those of the shortest stays left out. An analysis keeps no more samples than this.
  package static let writtenSamples = 1 << 16
}
