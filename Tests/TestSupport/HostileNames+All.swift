import TraceFormat

extension HostileNames {
  /// Names that do harm where a program interprets them instead of printing them as text.
  package static let all: [(what: String, name: String)] = [
    ("script", "</script><script>alert(1)</script>"), ("element", "<img src=x onerror=alert(1)>"),
    ("attribute", "\" onmouseover=\"alert(1)\" x='"), ("formula", "=cmd|'/C calc'!A0"),
    ("combined", "<\u{301}b>\"\u{301}&\u{301}'\u{301}"), ("template", "{{css}}{{{headline}}}{{#rows}}"),
    ("controls", "a\u{1}\u{8}\u{B}\u{1B}[31mred\u{7F}\u{9B}2J\u{0}\r\n"),
    ("right to left", "\u{202E}gnp.exe\u{2066}\u{200F}"),
    ("nonsense", "\u{FFFE}\u{FFFF}\u{1FFFF}\u{E000}]]>"),
    ("long", String(repeating: "long & <name> ", count: 715)),
    ("workflow", "::error::x%0A\n##[error]y"),
  ]

  /// Returns a trace whose thread, mode, timer, callout and source have the name. Its timer skips `skips` fires.
  package static func trace(_ name: String, skips: Int) throws -> [UInt8] {
    let end = 200_000 + skips * 100_000
    let main =
      HandTrace.tick(due: 100_000) + """
        0 source.create #3 name=2 version=0 order=0 site=3
        0 source.add #3 mode=1 loop=1
        0 Entry.low m1 #1
        10 BeforeTimers.low m1 #1
        20 BeforeSources.low m1 #1
        30 source.signal m1 #3
        90000 source0.begin m1 #3
        \(end - 50_000) source0.end m1 #3
        \(end - 49_000) timer.due m1 #2 due=100000
        \(end - 49_000) timer.begin m1 #2
        \(end - 48_000) timer.end m1 #2
        \(end - 40_000) BeforeTimers.low m1 #1
        \(end - 39_500) BeforeSources.low m1 #1
        \(end - 39_000) Exit.low m1 #1
        """
    let escaped = "\"" + name.unicodeScalars.map { "\\u{\(String($0.value, radix: 16))}" }.joined() + "\""
    var text = HandTrace(main: main).text()
    for plain in ["tick", "App.swift:10", "main", "mode 1"] {
      text = text.replacing("\"\(plain)\"", with: escaped)
    }
    return try assembleTrace(text.replacing("main=yes", with: "main=no"))
  }
}
