import TraceFormat

/// Traces whose timers have names from an attacker.
package enum HostileNames {
  package static func trace(_ names: [String]) throws -> [UInt8] {
    var lines = [
      "rltrace-text 1", "header minor=0 unit=1us codec=none capture=callouts clock=virtual high=no",
      "strings",
    ]
    lines += names.enumerated().map { "  \($0 + 1) \(quoted($1))" }
    lines += ["threads", "  0 os=1 main=yes \"main\"", "modes", "  1 \"mode\"", "events thread=0"]
    for number in names.indices {
      let object = number + 2
      lines.append(
        "  0 timer.create #\(object) name=\(number + 1) interval_ns=\(1_000_000 + number) tolerance_ns=0 due=100 site=\(number + 1)"
      )
      lines.append("  0 timer.add #\(object) mode=1 loop=1")
    }
    lines.append("  0 Entry.low m1 #1")
    for number in names.indices {
      let time = 200 + 100 * number
      lines.append("  \(time) timer.due m1 #\(number + 2) due=100")
      lines.append("  \(time) timer.begin m1 #\(number + 2)")
      lines.append("  \(time + 50) timer.end m1 #\(number + 2)")
    }
    lines += ["  999000 Exit.low m1 #1", "end"]
    return try assembleTrace(lines.joined(separator: "\n"))
  }

  /// Returns the name as a string of the text form.
  package static func quoted(_ name: String) -> String {
    var text = "\""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case _ where scalar.value < 0x20: text += "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}
