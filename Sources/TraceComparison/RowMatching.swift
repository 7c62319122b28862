/// Matches the subjects of NEW with those of BASE.
struct RowMatching {
  /// Maps places in NEW to places in BASE.
  private(set) var partner: [Int: Int] = [:]
  private let base: [BuildFreeSubject]
  private let new: [BuildFreeSubject]

  init(_ base: [Subject], _ new: [Subject]) {
    self.base = base.map(BuildFreeSubject.init)
    self.new = new.map(BuildFreeSubject.init)
    matchGroups()
    for key in Self.weakerKeys { matchSingles(by: key) }
  }

  // MARK: Matches by what a rebuild does not change

  private mutating func matchGroups() {
    let ofBase = Dictionary(grouping: base.indices) { base[$0].key }
    for (key, ours) in Dictionary(grouping: new.indices, by: { new[$0].key }) {
      if let theirs = ofBase[key] { match(theirs, ours) }
    }
  }

  private mutating func match(_ theirs: [Int], _ ours: [Int]) {
    let places = Dictionary(theirs.map { (base[$0].subject, $0) }) { first, _ in first }
    let exact = ours.compactMap { number in places[new[number].subject].map { (number, $0) } }
    // In traces of one build, all subjects match by their full names, unless some were not seen.
    if theirs.count == ours.count, exact.count < ours.count {
      let pairs = zip(
        ours.ordered { new[$0].isBefore(new[$1]) }, theirs.ordered { base[$0].isBefore(base[$1]) })
      for (mine, other) in pairs { partner[mine] = other }
      return
    }
    for (number, place) in exact { partner[number] = place }
    matchByClosures(
      theirs.filter { place in !exact.contains { $0.1 == place } }, ours.filter { partner[$0] == nil })
  }

  /// Matches remaining subjects whose closures have the same numbers, if there is one on each side.
  private mutating func matchByClosures(_ theirs: [Int], _ ours: [Int]) {
    let ofBase = Dictionary(grouping: theirs) { base[$0].numbers.map(\.closures) }
    for (closures, mine) in Dictionary(grouping: ours, by: { new[$0].numbers.map(\.closures) }) {
      if mine.count == 1, let others = ofBase[closures], others.count == 1 { partner[mine[0]] = others[0] }
    }
  }

  // MARK: Timers that changed

  /// From the strongest to the weakest.
  private static let weakerKeys: [@Sendable (TimerIdentity) -> [String]] = [
    { ["\($0.intervalNs ?? .max)", BuildFreeName($0.name).text] + $0.modes },
    { [BuildFreeName($0.name).text, BuildFreeName($0.site).text] }, { [BuildFreeName($0.name).text] },
  ]

  private mutating func matchSingles(by key: (TimerIdentity) -> [String]) {
    func left(_ subjects: [BuildFreeSubject], _ taken: Set<Int>) -> [[String]: [Int]] {
      var left: [[String]: [Int]] = [:]
      for (number, subject) in subjects.enumerated() where !taken.contains(number) {
        if case .timer(let timer) = subject.subject { left[key(timer), default: []].append(number) }
      }
      return left
    }
    let ofBase = left(base, Set(partner.values))
    for (key, numbers) in left(new, Set(partner.keys)) where numbers.count == 1 {
      if let candidates = ofBase[key], candidates.count == 1 { partner[numbers[0]] = candidates[0] }
    }
  }
}

/// A subject, with the key that a rebuild does not change and the numbers that it does.
private struct BuildFreeSubject {
  let subject: Subject
  let key: [String]
  /// The numbers of its names, in the order of their weight.
  let numbers: [BuildFreeName.Numbers]

  init(_ subject: Subject) {
    self.subject = subject
    var names: [BuildFreeName] = []
    var others: [String] = []
    switch subject {
    case .trace: break
    case .session(let thread, let mode): names = [thread, mode].map(BuildFreeName.init)
    case .timer(let timer):
      names = [timer.name, timer.site].map(BuildFreeName.init)
      others = ["\(timer.intervalNs ?? .max)"] + timer.modes
    case .callout(let thread, let kind, let name):
      names = [name, thread].map(BuildFreeName.init)
      others = [kind]
    case .source(let name): names = [BuildFreeName(name)]
    }
    key = [subject.kind] + names.map(\.text) + others
    numbers = names.map(\.numbers)
  }

  /// Returns whether the numbers place the subject earlier in the program.
  func isBefore(_ other: BuildFreeSubject) -> Bool {
    for (mine, theirs) in zip(numbers, other.numbers) where mine != theirs { return mine < theirs }
    return false
  }
}
