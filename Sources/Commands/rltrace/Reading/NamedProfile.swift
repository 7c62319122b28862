import ArgumentParser
import CheckedYAML
import TraceAnalysis

/// `--profile`: a built-in profile by name, or one from a YAML file by path. docs/reference/numbers.md describes the
/// keys.
enum NamedProfile {
  /// The help of `--profile`.
  static let help = ArgumentHelp(
    "Check gaps against the limits of a profile: \(names.joined(separator: ", ")), or a YAML file.",
    valueName: "profile")
  static var completion: CompletionKind { .list(names) }

  private static var names: [String] { Profile.named.map(\.name) }

  /// Enters the file, if the name refers to one.
  static func enterFile(_ name: String?) { FileUse.read(name.flatMap { file($0) }, as: "profile") }

  /// Returns the file that a name refers to; nil for a built-in profile, and for a name that is neither.
  private static func file(_ name: String) -> String? {
    known(name) == nil && TextFile.isPath(name) ? name : nil
  }

  private static func known(_ name: String) -> Profile? { Profile.named.first { $0.name == name } }

  /// Loads the profile; nil without a name.
  static func load(_ name: String?) throws(Failure) -> Profile? {
    guard let name else { return nil }
    if let known = known(name) { return known }
    guard let file = file(name) else {
      throw TextFile.unknown("profile", name, known: names)
    }
    return try TextFile.load(file, read)
  }

  private static func read(_ text: String) throws(TextFileError) -> Profile {
    var fields = try Fields(YAMLDocument.root(of: text), "a profile")
    var profile = Profile(
      name: try fields.required("profile").text(),
      limitNs: try fields.required("limit").statedDuration(atLeast: 1_000_000))
    profile.listedFromNs = try fields.take("list from")?.statedDuration(atLeast: 1000) ?? profile.limitNs
    profile.stutterNs = try fields.take("stutter")?.statedDuration(atLeast: 1_000_000)
    profile.isWatchdog = try fields.take("watchdog")?.truth() ?? false
    profile.backgroundTaskNs = try fields.take("background per task")?.statedDuration(atLeast: 1_000_000)
    profile.backgroundTotalNs = try fields.take("background total")?.statedDuration(atLeast: 1_000_000)
    profile.backgroundGraceNs = try fields.take("background grace")?.statedDuration()
    if let limits = fields.take("limits") {
      var phases = try Fields(limits, "limits")
      for phase in LifePhase.allCases {
        if let limit = phases.take(phase.name) {
          profile.limits[phase] = try limit.statedDuration(atLeast: 1_000_000)
        }
      }
      try phases.end()
    }
    if let names = fields.take("deferrable") {
      guard let list = names.sequence else { throw TextFileError(names, "expected a list of timer names") }
      for name in list { profile.deferrable.insert(try name.text()) }
    }
    try fields.end()
    return profile
  }
}
