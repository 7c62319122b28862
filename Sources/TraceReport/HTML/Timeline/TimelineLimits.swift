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
}
