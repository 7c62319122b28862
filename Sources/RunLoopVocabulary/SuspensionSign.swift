/// What says that a process did not run.
public enum SuspensionSign: String, Sendable {
  /// Its parent saw it stopped.
  case stopped
  /// The recorder's own beat came late, and nothing of the program was seen meanwhile.
  case lateBeat = "late_beat"
  /// The boot-time clock went on while the monotonic one stood still.
  case systemSleep = "system_sleep"

  /// A beat that is less late is in time: schedulers of busy machines are no better.
  public static let lateBeatNs: UInt64 = 50_000_000
}
