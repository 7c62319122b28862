/// The tables that an analysis is exported as.
public enum ExportTable: String, CaseIterable, Sendable {
  case trace
  case passes
  case modes
  case gaps
  case busy
  case timers
  case timerModes = "timer_modes"
  case timerFires = "timer_fires"
  case callouts
  case marks
  case intervals
  case intervalNames = "interval_names"
  case findings

  public var name: String { rawValue }
}
