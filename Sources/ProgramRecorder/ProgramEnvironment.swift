import TraceFormat
import TraceRecorder

/// What the preloaded library is told, in variables that it takes out of the program's environment.
public struct ProgramEnvironment: Sendable {
  public var library: String
  /// Path of the spool of the first process; absolute where the current folder's name is a text.
  public var spoolPath: String
  public var timeUnit: TimeUnit
  public var slotsPerRing: Int
  public var flags: UInt32
  /// The process that drains; 0 = nobody.
  public var recorder: Int32
  /// The number of the recording; 0 = nobody drains.
  public var recording: UInt64
  public var recordsChildren: Bool
  public var stalls: StallWatch?

  private static let listVariable = "LD_PRELOAD"
  static let spoolVariable = "RLTRACE_SPOOL"

  /// The variables, for a program that would have had none of them.
  public var variables: [(name: String, value: String)] {
    let options =
      [
        "unit=\(timeUnit.rawValue)", "slots=\(slotsPerRing)", "flags=\(flags)", "recorder=\(recorder)",
        "recording=\(recording)", "children=\(recordsChildren ? 1 : 0)",
      ] + (stalls.map(ProgramEnvironment.options(of:)) ?? [])
      // The last one: a path may have commas.
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

  /// `environment` with the variables set: in their places where they stand already, else behind the others.
  public func applied(to environment: [SystemText]) -> [SystemText] {
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
    // Though it may be empty: behind a colon the library knows that the variable was there.
    return Array("\(value):".utf8) + inherited.bytes
  }
}
