import TraceFormat
import TraceRecorder

/// What the preloaded library is told, in variables that it takes out of the program's environment.
public struct ProgramEnvironment: Sendable {
  public var library: String
  /// Absolute path of the spool of the first process.
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

  static let names = ["LD_PRELOAD", "RLTRACE_SPOOL", "RLTRACE_OPTIONS"]

  /// The variables, `inherited` being the value of LD_PRELOAD that the program would have had.
  public func variables(inherited: String?) -> [(name: String, value: String)] {
    let preload = inherited.map { $0.isEmpty ? library : "\(library):\($0)" } ?? library
    let options =
      [
        "unit=\(timeUnit.rawValue)", "slots=\(slotsPerRing)", "flags=\(flags)", "recorder=\(recorder)",
        "recording=\(recording)", "children=\(recordsChildren ? 1 : 0)",
      ] + (stalls.map(ProgramEnvironment.options(of:)) ?? [])
      // The last one: a path may have commas.
      + ["preload=\(library)"]
    return [
      ("LD_PRELOAD", preload), ("RLTRACE_SPOOL", spoolPath),
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
  public func applied(to environment: [String]) -> [String] {
    func value(of name: String) -> String? {
      environment.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
    var result = environment
    for (name, value) in variables(inherited: value(of: "LD_PRELOAD")) {
      let entry = "\(name)=\(value)"
      if let index = result.firstIndex(where: { $0.hasPrefix(name + "=") }) {
        result[index] = entry
      } else {
        result.append(entry)
      }
    }
    return result
  }
}
