/// The lines by which reports of PLCrashReporter differ from those of Apple's systems.
enum PLCrashReport {
  /// The first bytes of the binary form, with its version.
  static let magic = Array("plcrash\u{1}".utf8)

  /// Returns whether this is the line `Exception Type:  SIGSEGV`. Apple writes `EXC_BAD_ACCESS (SIGSEGV)`.
  static func isType(_ text: Substring) -> Bool { value("Exception Type:", text).hasPrefix("SIG") }

  /// Returns whether this is the line `Exception Codes: TRAP_TRACE at 0x10346b27f`. A live report has this code, because
  /// the format demands a signal.
  static func isOfLiveReport(_ text: Substring) -> Bool {
    value("Exception Codes:", text).hasPrefix("TRAP_TRACE ")
  }

  /// The fact that the program asked for the report while it ran. The report marks a thread as crashed: usually the
  /// one that asked, such as a monitor's.
  static let live = ReportFact(
    .event, "live report", meaning: "the program wrote it while it ran: no thread crashed, and no signal came"
  )

  /// Returns the text after a key; empty if the line has another one.
  private static func value(_ key: String, _ text: Substring) -> Substring {
    text.hasPrefix(key) ? text.dropFirst(key.count).trimmed : ""
  }
}
