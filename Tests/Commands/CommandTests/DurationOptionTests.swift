import TestSupport
import Testing

/// All options that take a time accept the same forms, and report other values.
@Suite struct DurationOptionTests {
  private static let modes = SampleTraces.virtual("modes")
  private static let options: [[String]] = [
    ["analyze", modes, "--gap-threshold"], ["analyze", modes, "--from"], ["analyze", modes, "--to"],
    ["report", modes, "-o", "/dev/null", "--from"], ["compare", modes, modes, "--gap-threshold"],
    ["compare", modes, modes, "--relevant"], ["gate", modes, "--from"], ["export", modes, "--from"],
    ["record", "--on-gap"], ["record", "--flight-recorder"], ["record", "--duration"],
  ]

  @Test(arguments: options)
  func oneError(option: [String]) throws {
    for wrong in ["fast", "5parsecs", "1e3", "-1s", "5m"] {
      let result = try Program.rltrace.run(option.dropLast() + ["\(option[option.count - 1])=\(wrong)"])
      #expect(result.status == 64 && result.output.isEmpty, "\(option) \(wrong)")
      #expect(result.errors.contains("units: ns, us, ms, s, min, h"), "\(option) \(wrong): \(result.errors)")
    }
  }

  @Test(arguments: options.filter { $0[0] == "analyze" || $0[0] == "compare" || $0[0] == "gate" })
  func oneForm(option: [String]) throws {
    var outputs: Set<String> = []
    for right in ["500ms", "0.5", "0.5s", ".5 s", "500000us"] {
      let result = try Program.rltrace.run(option + [right])
      #expect(result.status < 64, "\(option) \(right): \(result.errors)")
      outputs.insert(result.output)
    }
    #expect(outputs.count == 1)
  }

  /// Times in rules and in YAML files have the same forms.
  @Test func rulesAndFiles() throws {
    let folder = try TemporaryFolder()
    for time in ["250ms", "0.25s"] {
      let rule = try Program.rltrace.run([
        "gate", SampleTraces.virtual("modes"), "--rule", "max(busy) < \(time)",
      ])
      #expect(rule.status < 2, "\(rule.errors)")
      try "profile: mine\nlimit: \(time)\n".write(
        toFile: folder.file("mine.yaml"), atomically: true, encoding: .utf8)
      let profile = try Program.rltrace.run(
        ["analyze", SampleTraces.virtual("modes"), "--profile", folder.file("mine.yaml")])
      #expect(profile.status == 0, "\(profile.errors)")
    }
    try "profile: mine\nlimit: 5m\n".write(
      toFile: folder.file("mine.yaml"), atomically: true, encoding: .utf8)
    let wrong = try Program.rltrace.run(
      ["analyze", SampleTraces.virtual("modes"), "--profile", folder.file("mine.yaml")])
    #expect(
      wrong.status == 65 && wrong.errors.contains("mine.yaml:2: expected a time with its unit, such as 250ms")
    )
    let plain = try Program.rltrace.run(
      ["gate", SampleTraces.virtual("modes"), "--rule", "max(busy) < 250"])
    #expect(plain.status == 64 && plain.errors.contains("'250' has no unit"), "\(plain.errors)")
  }
}
