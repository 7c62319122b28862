import TraceFormat

/// Plain passes of one shape, one behind the other.
struct EqualPasses {
  /// So few that what is looked at of them again and again stays in the fastest cache.
  static let most = BucketedLengths.most
  /// Fewer are done sooner one by one.
  static let fewest = 8

  let columns: EventColumns
  /// The first event of the first one.
  let start: Int
  /// Events of each.
  let length: Int
  var count = 1

  /// The event behind the last one.
  var end: Int { start &+ count &* length }
  var last: Int { count &- 1 }

  /// The event at a place of a pass.
  @inline(__always)
  func event(_ pass: Int, _ place: Int) -> Int { start &+ pass &* length &+ place }

  @inline(__always)
  func time(_ pass: Int, _ place: Int) -> Moment { columns.time(event(pass, place)) }

  @inline(__always)
  func object(_ pass: Int, _ place: Int) -> ObjectID { columns.object(event(pass, place)) }

  /// The times at a place, added up: differences of such sums are what all passes took from one place to another.
  @inline(__always)
  func sum(_ place: Int) -> Length {
    var sum = Length.zero
    for pass in 0..<count { sum &+= time(pass, place) &- .origin }
    return sum
  }
}
