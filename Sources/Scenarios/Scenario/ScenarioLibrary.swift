import EmbeddedFiles

/// The scenarios that are built into the program, from Library/*.yaml.
package enum ScenarioLibrary {
  /// The names, in the suggested reading order.
  package static let names = [
    "pass-anatomy",
    "modes",
    "added-timer",
    "timer-starvation",
    "starvation-default-only",
    "starvation-tracking",
    "starvation-common",
    "stall-in-timer",
    "stall-in-source",
    "watchdog-phases",
    "stalled-callout",
    "five-causes",
    "location-uncached",
    "location-locked",
    "location-cached",
    "idle-work-common",
    "idle-work-default",
    "delegate-without-loop",
    "leave-and-return",
    "clock-change",
    "background-task-cycle",
    "location-continuous",
    "location-cycled",
    "stuttering-app",
    "detect-idle",
    "detect-suspended",
    "detect-poll-loop",
    "detect-chain",
    "detect-nested",
    "detect-layout",
    "detect-fluent",
    "detect-stutter",
  ]

  /// Returns the YAML text of a scenario; nil when none has that name.
  package static func text(_ name: String) -> String? {
    names.contains(name) ? EmbeddedFile.text("\(name).yaml") : nil
  }
}
