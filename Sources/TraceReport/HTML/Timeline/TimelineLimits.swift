/// What a time line keeps at the most.
struct TimelineLimits {
  /// Marks in hand before lanes keep windows only.
  var whole = 150_000
  /// Marks in a report.
  var marks = 150_000
  /// Marks of a window of a thread, and of a timer class.
  var threadWindow = 8192
  var timerWindow = 512
  var threadBins = 2048
  var timerBins = 1024
  /// Timer classes with these bins and windows. Further ones have a quarter of both: few of them are drawn.
  var wholeTimers = 64

  func bins(ofTimer place: Int) -> Int { place < wholeTimers ? timerBins : max(1, timerBins / 4) }
  func window(ofTimer place: Int) -> Int { place < wholeTimers ? timerWindow : max(1, timerWindow / 4) }
}
