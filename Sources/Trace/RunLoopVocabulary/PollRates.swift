/// The numbers of runs per second that return at once and serve nothing from which a loop polls.
package enum PollRates {
  package static let perSecond = (error: 1000.0, warning: 100.0)
}
