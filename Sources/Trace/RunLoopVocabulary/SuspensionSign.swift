/// The evidence that a process did not run.
package enum SuspensionSign: String, Sendable {
  /// Its parent observed that it was stopped.
  case stopped
  /// The recorder's heartbeat came late, and no activity of the program was recorded meanwhile.
  case lateBeat = "late_beat"
  /// The boot-time clock advanced while the monotonic clock did not.
  case systemSleep = "system_sleep"

  /// The minimum delay of a late heartbeat. Schedulers of busy machines cause shorter ones.
  package static let lateBeatNs: UInt64 = 50_000_000
}
