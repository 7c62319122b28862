/// Where the process stood still, for moments of before that go on as if they had been so much later.
///
/// Looked up when such a moment is asked for: a suspension costs no more for many objects.
struct StoodStill {
  /// In order, and apart.
  private var spans: [(from: Moment, to: Moment, before: Length)] = []
  private var total = Length.zero

  mutating func add(from: Moment, to: Moment) {
    guard to > from else { return }
    spans.append((from, to, total))
    total &+= to &- from
  }

  /// A moment as those see it that stood still: what was before is so much later, what comes due meanwhile, at the end.
  func moved(_ moment: Moment) -> Moment {
    guard let last = spans.last, moment < last.to else { return moment }
    var (low, high) = (0, spans.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].to > moment { high = middle } else { low = middle + 1 }
    }
    return min(moment, spans[low].from) &+ (total &- spans[low].before)
  }
}
