/// Moves moments forward by the suspensions of the process that came after them.
///
/// The moment is adjusted on lookup, so a suspension costs the same however many objects wait.
struct SuspensionShift {
  /// Sorted and disjoint.
  private var spans: [(from: Moment, to: Moment, before: Length)] = []
  private var total = Length.zero
  /// The end of the last one. Later moments do not move.
  private var end = Moment.origin

  mutating func add(from: Moment, to: Moment) {
    guard to > from else { return }
    spans.append((from, to, total))
    total &+= to &- from
    end = to
  }

  /// Returns the moment moved forward by all suspensions after it. A moment inside a suspension moves to its end
  /// first.
  func moved(_ moment: Moment) -> Moment {
    guard moment < end else { return moment }
    var (low, high) = (0, spans.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].to > moment { high = middle } else { low = middle + 1 }
    }
    return min(moment, spans[low].from) &+ (total &- spans[low].before)
  }
}
