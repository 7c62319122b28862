/// The names of modes that programs often use.
public enum ModeName {
  /// The mode in which programs usually run a loop.
  public static let `default` = "kCFRunLoopDefaultMode"
  /// Not a mode, but a placeholder for all common modes of a loop.
  public static let common = "kCFRunLoopCommonModes"
  /// The mode of a main thread while a finger scrolls; a common mode there.
  public static let tracking = "UITrackingRunLoopMode"
  /// The placeholder for a mode name when no run loop serves the main queue.
  package static let noRunLoop = "(no run loop)"
  /// The mode of all event loops, which have no modes.
  package static let eventLoop = "(event loop)"
  /// The name for all modes beyond those that are distinguished.
  package static let others = "(other modes)"
  /// A word in the name of every mode in which a user drags or scrolls.
  package static let trackingWord = "Tracking"

  /// Returns whether this is a mode in which a user drags or scrolls.
  package static func isTracking(_ name: String) -> Bool {
    name.utf8.indices.contains { name.utf8[$0...].starts(with: trackingWord.utf8) }
  }

  /// The names that systems define, which reveal nothing about a program.
  package static let ofSystems: Set<String> = [
    ModeName.default, common, tracking, noRunLoop, "NSDefaultRunLoopMode", "NSRunLoopCommonModes",
    "UIInitializationRunLoopMode", "GSEventReceiveRunLoopMode", "NSEventTrackingRunLoopMode",
    "NSModalPanelRunLoopMode", "NSConnectionReplyMode",
  ]
}
