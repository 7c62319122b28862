import TraceAnalysis
import TraceFormat
import TraceReplay

/// The options of a recording that decide which events it holds.
package struct RecordedOptions: Equatable, Sendable {
  /// The minimum length of stalls that have stacks, in nanoseconds. A recording without stalls might not state it; the
  /// recorder's default then applies.
  private let stacksFromNs: UInt64
  private let isStated: Bool
  private let level: CaptureLevel

  /// The recorder's default.
  private static let usualNs: UInt64 = 100_000_000

  package init(_ reader: TraceReader) {
    let stated = reader.info.first { $0.key == InfoEntry.stallThreshold }.flatMap { UInt64($0.value) }
    stacksFromNs = stated ?? Self.usualNs
    isStated = stated != nil
    level = reader.header.captureLevel
  }

  package static func == (a: RecordedOptions, b: RecordedOptions) -> Bool {
    a.stacksFromNs == b.stacksFromNs && a.level == b.level
  }

  /// For display: `capture level callouts, stacks for stalls of 1.00 ms or more`.
  package var text: String { "capture level \(level.name), \(stacks)" }

  private var stacks: String {
    isStated ? "stacks for stalls of \(Units.duration(stacksFromNs)) or more" : "no stacks"
  }

  /// Returns the minimum length of the gaps that are counted in both recordings, if the user gives none: the longer of
  /// their minimum lengths for stacks. A shorter one would count gaps that only one recording looks for.
  package static func gapThresholdNs(
    _ base: RecordedOptions, _ new: RecordedOptions, _ options: ReplayOptions
  ) -> UInt64 {
    guard options.listsSampledGaps, base.isStated || new.isStated else { return options.gapThresholdNs }
    return min(options.gapThresholdNs, max(base.stacksFromNs, new.stacksFromNs))
  }

  /// Returns the note about two recordings with different options; nil = they have the same. A different capture level
  /// has a note of its own.
  static func note(_ base: RecordedOptions, _ new: RecordedOptions, gapThresholdNs: UInt64) -> String? {
    guard base.stacksFromNs != new.stacksFromNs else { return nil }
    return
      "the options of the recordings differ: BASE has \(base.stacks), NEW has \(new.stacks). Both count gaps of "
      + "\(Units.duration(gapThresholdNs)) or more. Taking stacks costs the program time"
  }
}
