/// The limits of a timeline.
struct TimelineLimits {
  /// The number of marks after which lanes keep only windows.
  var whole = 150_000
  /// The number of marks in a report.
  var marks = 150_000
  /// The number of marks in a window of a thread, and of a timer class.
  var threadWindow = 8192
  var timerWindow = 512
  var threadBins = 2048
  var timerBins = 1024
  /// The number of frames after which a lane of frames keeps only windows, and the number in a report.
  var frames = 20_000
  /// The number of changes of states.
  var states = 5000
  /// The number of timer classes with full bins and windows. Further ones have a quarter of both, because few of them
  /// are drawn.
  var wholeTimers = 64

  func bins(ofTimer place: Int) -> Int { place < wholeTimers ? timerBins : max(1, timerBins / 4) }
  func window(ofTimer place: Int) -> Int { place < wholeTimers ? timerWindow : max(1, timerWindow / 4) }
}
