import TraceFormat

/// Consecutive plain passes of one shape.
struct EqualPasses {
  /// The maximum number of passes, small enough for their data to stay in the fastest cache.
  static let most = BucketedLengths.most
  /// Fewer passes are processed faster one by one.
  static let fewest = 8

  let columns: EventColumns
  /// The first event of the first pass.
  let start: Int
  /// The number of events in each pass.
  let length: Int
  var count = 1

  /// The event after the last pass.
  var end: Int { start &+ count &* length }
  var last: Int { count &- 1 }

  /// Returns the index of the event at a position in a pass.
  @inline(__always)
  func event(_ pass: Int, _ place: Int) -> Int { start &+ pass &* length &+ place }

  @inline(__always)
  func time(_ pass: Int, _ place: Int) -> Moment { columns.time(event(pass, place)) }

  @inline(__always)
  func object(_ pass: Int, _ place: Int) -> ObjectID { columns.object(event(pass, place)) }

  /// Returns the sum of the times at a position, over all passes. The difference of two such sums is the total time
  /// between the two positions.
  @inline(__always)
  func sum(_ place: Int) -> Length {
    var sum = Length.zero
    for pass in 0..<count { sum &+= time(pass, place) &- .origin }
    return sum
  }
}
