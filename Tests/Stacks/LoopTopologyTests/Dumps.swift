import Foundation
import LoopTopology
import TestSupport

/// Texts with dumps, for tests.
enum Dumps {
  /// Returns the log of an iOS app with two dumps: before and after it added a timer to the default mode.
  static func notesApp() throws -> [UInt8] { try ProjectFiles.bytes("Tests/Fixtures/Dumps/notes-app.log") }

  static func topology(_ bytes: [UInt8], _ number: Int = 1) throws -> Topology {
    var text = DumpText(bytes)
    return try text.dump(number).topology
  }

  static func topology(_ text: String, _ number: Int = 1) throws -> Topology {
    try topology(Array(text.utf8), number)
  }

  /// Returns the error of a text without a complete dump; nil if it has one.
  static func error(_ text: String, _ number: Int = 1) -> DumpError? {
    do { _ = try topology(text, number) } catch { return error as? DumpError }
    return nil
  }
}

/// A run loop, in the form of its description by Foundation on Linux.
struct LinuxLoop {
  /// The allocator of all objects in the process.
  var allocator = "0x7f00"
  var address = "0x1000"
  var currentMode = "(none)"
  var commonModes = ["A", "B"]
  var modes = ["A", "B", "C"]
  /// The items with their modes; `(common)` means the common modes.
  var items: [(item: String, modes: [String])] = []

  func source(_ address: String, order: Int = 0, _ callout: String = "??? (0x5500)") -> String {
    "<CFRunLoopSource \(address) [\(allocator)]>{signalled = No, valid = Yes, order = \(order), "
      + "context = <CFRunLoopSource context>{version = 0, info = (nil), callout = \(callout)}}"
  }

  func observer(
    _ address: String, _ activities: String = "0xa0", order: Int = 0, _ callout: String = "??? (0x5600)",
    valid: String = "Yes", context: String = "<CFRunLoopObserver context (nil)>"
  ) -> String {
    "<CFRunLoopObserver \(address) [\(allocator)]>{valid = \(valid), activities = \(activities), "
      + "repeats = Yes, order = \(order), callout = \(callout), context = \(context)}"
  }

  func timer(_ address: String, _ interval: String = "1", _ callout: String = "? (0x5700 / (nil)) (?)")
    -> String
  {
    "<CFRunLoopTimer \(address) [\(allocator)]>{valid = Yes, firing = No, interval = \(interval), "
      + "tolerance = 0, next fire date = 700000001 (0.5 @ 1500000000), callout = \(callout), "
      + "context = <CFRunLoopTimer context (nil)>}"
  }

  /// The description that CoreFoundation would print.
  var text: String {
    func set(_ entries: [String]) -> String {
      "<CFBasicHash 0x1 [\(allocator)]>{type = mutable set, count = \(entries.count),\nentries =>\n"
        + entries.enumerated().map { "\t\($0) : \($1)\n" }.joined() + "}\n"
    }
    func array(_ entries: [String]) -> String {
      "<CFArray 0x1 [\(allocator)]>{type = mutable-small, count = \(entries.count), values = ("
        + (entries.isEmpty ? "" : "\n") + entries.enumerated().map { "\t\($0) : \($1)\n" }.joined() + ")}"
    }
    let names = commonModes.map { "<CFString 0x1 [\(allocator)]>{contents = \"\($0)\"}" }
    let common = items.filter { $0.modes.contains("(common)") }.map(\.item)
    let described = modes.map { mode in
      func items(_ kind: String) -> [String] {
        self.items.filter {
          $0.item.hasPrefix("<CFRunLoop\(kind) ")
            && ($0.modes.contains(mode) || $0.modes.contains("(common)") && commonModes.contains(mode))
        }.map(\.item)
      }
      return """
        <CFRunLoopMode 0x2 [\(allocator)]>{name = \(mode), port set = 0x4, timer port = 0x5, \n\
        \tsources0 = \(set(items("Source"))),\n\tsources1 = (null),\n\tobservers = \(array(items("Observer"))),\n\
        \ttimers = \(array(items("Timer"))),\n\tcurrently 700000000 (1000000000) / soft deadline in: 0.5 sec \
        (@ 1500000000) / hard deadline in: 0.5 sec (@ 1500000000)\n},\n
        """
    }
    return """
      <CFRunLoop \(address) [\(allocator)]>{wakeup port = 0x3, stopped = false, ignoreWakeUps = true, \n\
      current mode = \(currentMode),\ncommon modes = \(set(names)),\ncommon mode items = \
      \(common.isEmpty ? "(null)" : set(common)),\nmodes = \(set(described))}\n
      """
  }

  var topology: Topology { get throws { try Dumps.topology(text) } }
}
