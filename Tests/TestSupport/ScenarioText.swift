/// Scenarios that several tests use.
package enum ScenarioText {
  /// The nested tracking run from the documentation of the rules, between two marks.
  package static let nestedTracking = """
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
