/// The scenarios that are built into the program, from Library/*.yaml.
public enum ScenarioLibrary {
  /// The texts with their names, in the suggested reading order.
  private static let texts: [(name: String, yaml: [UInt8])] = [
    ("pass-anatomy", PackageResources.pass_anatomy_yaml),
    ("modes", PackageResources.modes_yaml),
    ("added-timer", PackageResources.added_timer_yaml),
    ("timer-starvation", PackageResources.timer_starvation_yaml),
    ("starvation-default-only", PackageResources.starvation_default_only_yaml),
    ("starvation-tracking", PackageResources.starvation_tracking_yaml),
    ("starvation-common", PackageResources.starvation_common_yaml),
    ("stall-in-timer", PackageResources.stall_in_timer_yaml),
    ("stall-in-source", PackageResources.stall_in_source_yaml),
    ("watchdog-phases", PackageResources.watchdog_phases_yaml),
    ("stalled-callout", PackageResources.stalled_callout_yaml),
    ("five-causes", PackageResources.five_causes_yaml),
    ("location-uncached", PackageResources.location_uncached_yaml),
    ("location-locked", PackageResources.location_locked_yaml),
    ("location-cached", PackageResources.location_cached_yaml),
    ("leave-and-return", PackageResources.leave_and_return_yaml),
    ("background-task-cycle", PackageResources.background_task_cycle_yaml),
    ("stuttering-app", PackageResources.stuttering_app_yaml),
    ("detect-idle", PackageResources.detect_idle_yaml),
    ("detect-suspended", PackageResources.detect_suspended_yaml),
    ("detect-poll-loop", PackageResources.detect_poll_loop_yaml),
    ("detect-chain", PackageResources.detect_chain_yaml),
    ("detect-nested", PackageResources.detect_nested_yaml),
    ("detect-layout", PackageResources.detect_layout_yaml),
  ]

  public static var names: [String] { texts.map(\.name) }

  /// Returns the YAML text of a scenario; nil when none has that name.
  public static func text(_ name: String) -> String? {
    texts.first { $0.name == name }.map { String(decoding: $0.yaml, as: UTF8.self) }
  }
}
