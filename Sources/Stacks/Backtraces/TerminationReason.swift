import SystemSupport

/// The reasons that Apple's systems give for ending a process.
enum TerminationReason {
  /// The codes that Apple documents, with their meanings.
  /// https://developer.apple.com/documentation/xcode/sigkill
  private static let codes: [UInt64: String] = [
    0x8BAD_F00D: "the watchdog ended the app because it did not complete a task of the system in time",
    0xC000_10FF: "the system ended the app because the device was too hot",
    0xDEAD_10CC: "the app held a file lock or a SQLite lock while it was being suspended",
    0xBAAD_CA11: "the app did not report a call to CallKit after a VoIP notification",
    0xBAD2_2222: "the VoIP app was resumed too often",
    0xBADD_D15C: "the system removed the app's data to free disk space",
    0xC51B_AD01: "the watch app used too much CPU time in the background",
    0xC51B_AD02: "the watch app did not finish its background task in time",
    0xC51B_AD03: "the watch app did not finish its background task in time while the watch was busy",
    0xDEAD_FA11: "the user ended the app",
    0x2BAD_45EC: "the app broke a security rule of the system",
  ]

  /// Parses a line of a text report: `Termination Reason: Namespace SPRINGBOARD, Code 0x8badf00d`,
  /// `Termination Description: …`.
  static func ofText(_ line: Substring) -> [ReportFact] {
    guard let colon = line.firstIndex(of: ":") else { return [] }
    let value = line[line.index(after: colon)...].trimmed
    switch line[..<colon] {
    case "Termination Reason":
      let (namespace, code) = namespaceAndCode(value)
      return facts(namespace: namespace, code: code, value)
    case "Termination Description": return facts(namespace: nil, code: nil, value)
    case "Termination Signal": return [ReportFact(.signal, ReportFact.shortened(value))]
    default: return []
    }
  }

  /// Parses MetricKit's text: `FRONTBOARD 2343432205 <RBSTerminateContext| domain:10 code:0x8BADF00D explanation:…`.
  static func ofWords(_ words: Substring) -> [ReportFact] {
    let (namespace, code) = namespaceAndCode(words)
    return facts(namespace: namespace, code: code, words)
  }

  /// Parses `Namespace SPRINGBOARD, Code 0x8badf00d`, `FRONTBOARD 2343432205`, `SIGNAL 6 Abort trap: 6`.
  private static func namespaceAndCode(_ text: Substring) -> (namespace: String?, code: UInt64?) {
    var cursor = Cursor(text.trimmed)
    _ = cursor.take("Namespace ")
    let name = cursor.word().prefix { $0 != "," && $0 != ";" }
    cursor.blanks()
    _ = cursor.take("Code ")
    let isNamespace = !name.isEmpty && name.allSatisfy { $0.isUppercase || $0 == "_" }
    return isNamespace ? (String(name), code(cursor.rest)) : (nil, nil)
  }

  /// Returns the facts of a termination. `words`: the reasons, on one line or several.
  static func facts(namespace: String?, code: UInt64?, _ words: Substring) -> [ReportFact] {
    var facts: [ReportFact] = []
    let code = code ?? words.place(of: "code:").flatMap { self.code(words[$0.upperBound...]) }
    if namespace != nil || code != nil {
      let known = code.flatMap { codes[$0] }
      // Small codes are signal numbers or exit statuses.
      let number = code.map { known == nil && $0 < 1 << 16 ? String($0) : "0x" + String($0, radix: 16) }
      facts.append(
        ReportFact(
          .termination, [namespace, number].compactMap(\.self).joined(separator: " "), meaning: known))
    }
    if let explanation = explanation(words) { facts.append(ReportFact(.explanation, explanation)) }
    if let event = value(behind: "WatchdogEvent:", words) { facts.append(ReportFact(.watchdogEvent, event)) }
    let allowance = allowance(words)
    if let allowance { facts.append(ReportFact(.allowance, "\(allowance.text) s")) }
    for (key, subject) in [
      ("Elapsed total CPU time (seconds):", ReportFact.Subject.totalCPUTime),
      ("Elapsed application CPU time (seconds):", .appCPUTime),
    ] {
      if let place = words.place(of: key) {
        facts += cpuTime(words[place.upperBound...].trimmed, subject, allowanceS: allowance?.seconds)
      }
    }
    return facts
  }

  private static func code(_ text: Substring) -> UInt64? {
    var cursor = Cursor(text)
    cursor.blanks()
    if cursor.rest.hasPrefix("0X") { cursor.rest = "0x" + cursor.rest.dropFirst(2) }
    return cursor.address() ?? cursor.number()
  }

  /// Returns the text after the key, up to any character that ends a value in these texts.
  private static func value(behind key: String, _ text: Substring) -> String? {
    guard let place = text.place(of: key) else { return nil }
    return text[place.upperBound...].prefix { $0 != "\n" && $0 != "|" && $0 != "," && $0 != ")" }.trimmed
      .orNil
  }

  private static func explanation(_ words: Substring) -> String? {
    func line(_ text: Substring) -> Substring {
      text.prefix { !$0.isNewline && $0 != "|" }.trimmed
    }
    if let place = words.place(of: "explanation:") {
      return line(words[place.upperBound...]).orNil.map { ReportFact.shortened($0[...]) }
    }
    // Without such a mark, take the sentence that names the event.
    for key in ["watchdog transgression", "exhausted ", "failed to "] where words.has(key) {
      let parts = words.split(whereSeparator: { $0.isNewline || $0 == "|" })
      return parts.first { $0.has(key) }.map { ReportFact.shortened($0.trimmed) }
    }
    return nil
  }

  /// Parses `exhausted real (wall clock) time allowance of 19.89 seconds`.
  private static func allowance(_ words: Substring) -> (text: Substring, seconds: Double)? {
    guard let place = words.place(of: "allowance of ") else { return nil }
    var cursor = Cursor(words[place.upperBound...])
    let number = cursor.word()
    return Double(number).map { (number, $0) }
  }

  /// Parses `5.710 (user 3.610, system 2.100), 18% CPU`. The percentage is of all processors.
  private static func cpuTime(
    _ text: Substring, _ subject: ReportFact.Subject, allowanceS: Double?
  ) -> [ReportFact] {
    let number = text.prefix { "0123456789.".contains($0) }
    guard let seconds = Double(number) else { return [] }
    let share = text.place(of: "% CPU").flatMap { place in
      Int(String(text[..<place.lowerBound].reversed().prefix { $0.isNumber }.reversed()))
    }
    var meaning: String?
    if subject == .appCPUTime {
      if share == 0 || allowanceS.map({ seconds < $0 * idleShare }) ?? false {
        meaning = "the app used little CPU time: it waited"
      } else if let allowanceS, seconds >= allowanceS * busyShare {
        meaning = "close to the allowance: the app computed"
      }
    }
    return [ReportFact(subject, "\(number) s" + (share.map { ", \($0) % CPU" } ?? ""), meaning: meaning)]
  }

  /// CPU time as a share of the allowance. Below the first value, the app was idle. From the second value up, it was
  /// busy.
  private static let idleShare = 0.1
  private static let busyShare = 0.9
}
