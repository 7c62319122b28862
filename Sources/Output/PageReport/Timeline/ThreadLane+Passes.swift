import TraceFacts

/// Adds many passes at once if they lie in one bin and none of them deserves a window.
///
/// Their marks are created only when they are read. That is rare, because few marks of a long trace are kept. Until
/// then, the ring reserves their places among the marks that are added one by one.
extension ThreadLane {
  /// Below this number of passes, marks are created immediately.
  private static let fewest = 8

  /// Returns false if it did nothing; the caller must then add the passes one by one.
  mutating func add(_ passes: EqualPassFacts) -> Bool {
    // A pass has the depth of the last phase, because its own phases may be empty.
    guard passes.count >= Self.fewest, busySince != .max, phaseDepth == UInt8(clamping: passes.depth),
      detail.keepsOnlyInRing(passes.count &* passes.steps.count),
      let bin = time.onlyIndex(passes.start, passes.end)
    else { return false }
    let busy = busyIntervals(passes)
    guard !detail.isWorthWindow(busy.longest) else { return false }
    busySince = busy.since
    ended(busy.longest, bin)
    let marks = book(passes, bin)
    if later.isFull { makeMarks() }
    later.append(passes, from: detail.count)
    detail.leaveRoom(marks)
    later.drop(before: detail.firstInRing)
    return true
  }

  private func busyIntervals(_ passes: EqualPassFacts) -> (longest: UInt64, since: UInt64) {
    guard let wait = passes.steps.first(where: { $0.what == .phase(.waiting) }) else { return (0, busySince) }
    var (longest, since) = (UInt64(0), busySince)
    for pass in 0..<passes.count {
      let (start, end) = (passes.time(pass, wait.start), passes.time(pass, wait.end))
      guard end > start else { continue }
      if start > since { longest = max(longest, start &- since) }
      since = end
    }
    return (longest, since)
  }

  /// Adds the sums to the bin and returns the number of marks for later.
  private mutating func book(_ passes: EqualPassFacts, _ bin: Int) -> Int {
    var (all, marks) = (UInt64(0), 0)
    for step in passes.steps {
      var (took, marked) = (UInt64(0), 0)
      let first = passes.first(step)
      for pass in first..<passes.count {
        let length = passes.time(pass, step.end) &- passes.time(pass, step.start)
        took &+= length
        marked &+= length > 0 ? 1 : 0
      }
      switch step.what {
      case .phase(let phase):
        all &+= took
        marks &+= marked
        add(took, phase: phase, bin)
      case .pass:
        marks &+= passes.count &- first
        count(passes: passes.count &- first, bin)
      case .callout:
        marks &+= passes.count
        count(callouts: passes.count, time: passes.calloutDepth == 0 ? took : 0, bin)
      case .fire: break
      }
    }
    if all > 0 { add(all, mode: passes.mode, bin) }
    return marks
  }

  /// Creates the postponed marks.
  @inline(never)
  mutating func makeMarks() {
    later.forEach { passes, number in
      var number = number
      for pass in 0..<passes.count {
        for step in passes.steps where passes.first(step) <= pass {
          guard let mark = SpanMark(step, pass, of: passes) else { continue }
          detail.setInRing(mark, at: number)
          number &+= 1
        }
      }
    }
    later.removeAll()
  }
}

extension SpanMark {
  /// Returns nil if the step has no mark.
  fileprivate init?(_ step: EqualPassFacts.Step, _ pass: Int, of passes: EqualPassFacts) {
    let (start, end) = (passes.time(pass, step.start), passes.time(pass, step.end))
    switch step.what {
    case .phase(let phase):
      guard end > start else { return nil }
      self.init(
        start: start, end: end, what: .phase(phase), mode: passes.mode, depth: UInt8(clamping: passes.depth))
    case .pass:
      self.init(
        start: start, end: end, what: .pass, mode: passes.mode, depth: UInt8(clamping: passes.depth))
    case .callout(let kind, let number):
      let called = passes.called(pass, callout: number)
      self.init(
        start: start, end: end, what: .callout(kind: kind, name: called.name, object: called.object),
        mode: passes.mode, depth: UInt8(clamping: passes.calloutDepth))
    case .fire: return nil
    }
  }
}

/// The newest passes whose marks are not created yet.
struct PendingMarks {
  /// The number of entries. Small groups of passes fill it before they fill the ring; then the marks are created.
  private static let most = 48

  private var kept: [KeptPassFacts] = []
  /// The numbers of their first marks.
  private var numbers: [UInt64] = []
  private var first = 0
  private(set) var count = 0

  var isFull: Bool { count == Self.most }

  mutating func append(_ passes: EqualPassFacts, from number: UInt64) {
    let place = (first + count) % Self.most
    if place < kept.count {
      kept[place].keep(passes)
      numbers[place] = number
    } else {
      kept.append(KeptPassFacts(passes))
      numbers.append(number)
    }
    count += 1
  }

  /// Drops the passes whose marks all precede the one with this number.
  mutating func drop(before number: UInt64) {
    while count > 1, numbers[(first + 1) % Self.most] <= number {
      first = (first + 1) % Self.most
      count -= 1
    }
  }

  func forEach(_ body: (EqualPassFacts, _ number: UInt64) -> Void) {
    for place in 0..<count {
      let place = (first + place) % Self.most
      body(kept[place].facts, numbers[place])
    }
  }

  mutating func removeAll() { (first, count) = (0, 0) }
}
