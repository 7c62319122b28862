import TraceFormat
import TraceRecorder

/// The settings of the preloaded library. They are passed in variables that the library removes from the program's
/// environment.
package struct ProgramEnvironment: Sendable {
  package var library: String
  /// The path of the first process's spool. Absolute, unless the current folder's name is not UTF-8.
  package var spoolPath: String
  package var timeUnit: TimeUnit
  package var slotsPerRing: Int
  package var flags: UInt32
  /// The process that drains the spool; 0 = none.
  package var recorder: Int32
  /// The number of the recording; 0 = no process drains the spool.
  package var recording: UInt64
  package var recordsChildren: Bool
  package var stalls: StallWatch?

  private static let listVariable = "LD_PRELOAD"
  static let spoolVariable = "RLTRACE_SPOOL"

  /// The variables, for a program that had none of them.
  package var variables: [(name: String, value: String)] {
    let options =
      [
        "unit=\(timeUnit.rawValue)", "slots=\(slotsPerRing)", "flags=\(flags)", "recorder=\(recorder)",
        "recording=\(recording)", "children=\(recordsChildren ? 1 : 0)",
      ] + (stalls.map(ProgramEnvironment.options(of:)) ?? [])
      // The path is last because it may contain commas.
      + ["preload=\(library)"]
    return [
      (ProgramEnvironment.listVariable, library), (ProgramEnvironment.spoolVariable, spoolPath),
      ("RLTRACE_OPTIONS", options.joined(separator: ",")),
    ]
  }

  private static func options(of watch: StallWatch) -> [String] {
    let limits = watch.limitOfPhase.map { "\($0)" }.joined(separator: ":")
    return [
      "beat=\(watch.beatNs)", "stall=\(watch.thresholdNs)", "signal=\(watch.signal)", "limits=\(limits)",
    ]
  }

  /// Returns `environment` with the variables set. Existing entries are replaced in place; others are added at the
  /// end.
  package func applied(to environment: [SystemText]) -> [SystemText] {
    var result = environment
    for (name, value) in variables {
      let index = result.firstIndex { $0.value(of: name) != nil }
      let inherited = index.flatMap { result[$0].value(of: name) }
      let entry = SystemText(bytes: Array("\(name)=".utf8) + bytes(of: name, value, inherited))
      if let index { result[index] = entry } else { result.append(entry) }
    }
    return result
  }

  private func bytes(of name: String, _ value: String, _ inherited: SystemText?) -> [UInt8] {
    if name == ProgramEnvironment.spoolVariable { return SystemText.absolute(value).bytes }
    guard name == ProgramEnvironment.listVariable, let inherited else { return Array(value.utf8) }
    // The inherited value may be empty: the colon shows the library that the variable existed.
    return Array("\(value):".utf8) + inherited.bytes
  }
}
