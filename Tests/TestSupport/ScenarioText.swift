/// Scenarios that more than one test plays.
public enum ScenarioText {
  /// The nested tracking run of the page of rules. Marks stand around it.
  public static let nestedTracking = """
    scenario: nested
    loop: thread
    common modes: [tracking]
    timers:
      - {name: default, every: 10ms}
      - {name: common, every: 10ms, modes: [common]}
      - {name: scroll, first: 5ms, do: [mark: during, run: {mode: tracking, for: 200ms}, mark: after]}
    thread:
      - run: {for: 305ms}
    """
}
