/// Names of the modes that programs meet.
public enum ModeName {
  public static let `default` = "kCFRunLoopDefaultMode"
  /// Not a mode: stands for all common modes of a loop.
  public static let common = "kCFRunLoopCommonModes"
  /// The mode of a main thread while a finger scrolls; a common mode there.
  public static let tracking = "UITrackingRunLoopMode"
  /// Not a mode: of the main queue where no run loop serves it.
  public static let noRunLoop = "(no run loop)"
  /// Of all modes beyond what is told apart.
  public static let others = "(other modes)"
  /// In the name of every mode in which a user drags or scrolls.
  package static let trackingWord = "Tracking"

  /// Whether it is a mode in which a user drags or scrolls.
  public static func isTracking(_ name: String) -> Bool {
    name.utf8.indices.contains { name.utf8[$0...].starts(with: trackingWord.utf8) }
  }

  /// Those that systems define: they say nothing about a program.
  public static let ofSystems: Set<String> = [
    ModeName.default, common, tracking, noRunLoop, "NSDefaultRunLoopMode", "NSRunLoopCommonModes",
    "UIInitializationRunLoopMode", "GSEventReceiveRunLoopMode", "NSEventTrackingRunLoopMode",
    "NSModalPanelRunLoopMode", "NSConnectionReplyMode",
  ]
}
