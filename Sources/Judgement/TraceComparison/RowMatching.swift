/// Matches the subjects of NEW with those of BASE.
struct RowMatching {
  /// Maps the indices of subjects in NEW to those in BASE.
  private(set) var partner: [Int: Int] = [:]
  private let base: [BuildFreeSubject]
  private let new: [BuildFreeSubject]

  init(_ base: [Subject], _ new: [Subject]) {
    self.base = base.map(BuildFreeSubject.init)
    self.new = new.map(BuildFreeSubject.init)
    matchGroups()
    for key in Self.weakerKeys { matchRest(by: key) }
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

  // MARK: Timers and callouts that changed

  /// The properties that still identify a subject after some changes.
  private struct WeakerKey: Sendable {
    /// Returns nil for subjects that the key does not apply to.
    let parts: @Sendable (Subject) -> [String]?
    /// Whether several subjects with the same key match by the numbers of their closures.
    var allowsSeveral = false

    static func timers(
      allowsSeveral: Bool = false, _ parts: @escaping @Sendable (TimerIdentity) -> [String]
    ) -> WeakerKey {
      WeakerKey(
        parts: { if case .timer(let timer) = $0 { parts(timer) } else { nil } }, allowsSeveral: allowsSeveral)
    }
  }

  /// From the strongest to the weakest.
  private static let weakerKeys: [WeakerKey] = [
    // The modes changed.
    .timers(allowsSeveral: true) { [$0.buildFreeName, $0.buildFreeSite, $0.interval] },
    // The timer is created elsewhere.
    .timers { [$0.interval, $0.buildFreeName] + $0.modes },
    // The interval changed, and perhaps the modes.
    .timers { [$0.buildFreeName, $0.buildFreeSite] },
    .timers { [$0.buildFreeName] },
    // The code of the callout moved to another closure of the same function.
    WeakerKey { subject in
      guard case .callout(let thread, let kind, let name) = subject else { return nil }
      return [thread, kind, BuildFreeName(name).function]
    },
  ]

  /// Matches the remaining subjects with the same key: one on each side, or several whose numbers tell them apart.
  private mutating func matchRest(by key: WeakerKey) {
    func left(_ subjects: [BuildFreeSubject], _ taken: Set<Int>) -> [[String]: [Int]] {
      var left: [[String]: [Int]] = [:]
      for (number, subject) in subjects.enumerated() where !taken.contains(number) {
        if let key = key.parts(subject.subject) { left[key, default: []].append(number) }
      }
      return left
    }
    let ofBase = left(base, Set(partner.values))
    for (parts, ours) in left(new, Set(partner.keys)) {
      guard let theirs = ofBase[parts] else { continue }
      if ours.count == 1, theirs.count == 1 {
        partner[ours[0]] = theirs[0]
      } else if key.allowsSeveral {
        matchEqualNumbers(theirs, ours)
      }
    }
  }

  /// Matches the subjects by the numbers of their closures, if both sides have the same numbers, each once. Other
  /// numbers could belong to any of the closures.
  private mutating func matchEqualNumbers(_ theirs: [Int], _ ours: [Int]) {
    func places(_ numbers: [Int], _ side: [BuildFreeSubject]) -> [[[UInt64]]: Int] {
      Dictionary(numbers.map { (side[$0].numbers.map(\.closures), $0) }) { first, _ in first }
    }
    let (ofBase, ofNew) = (places(theirs, base), places(ours, new))
    guard ofBase.count == theirs.count, ofNew.count == ours.count, Set(ofBase.keys) == Set(ofNew.keys) else {
      return
    }
    for (closures, number) in ofNew { partner[number] = ofBase[closures] }
  }
}

extension TimerIdentity {
  fileprivate var buildFreeName: String { BuildFreeName(name).text }
  fileprivate var buildFreeSite: String { BuildFreeName(site).text }
  fileprivate var interval: String { "\(intervalNs ?? .max)" }
}

extension BuildFreeName {
  /// The name of the function that contains the closure: `closure # in closure # in f()` becomes `f()`.
  fileprivate var function: String {
    var rest = Substring(text)
    while let closure = ["closure # in ", "implicit closure # in "].first(where: rest.hasPrefix) {
      rest = rest.dropFirst(closure.count)
    }
    return String(rest)
  }
}

/// A subject, with the key that a rebuild does not change and the numbers that it does.
private struct BuildFreeSubject {
  let subject: Subject
  let key: [String]
  /// The numbers in its names, the most significant name first.
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
    case .queue(let name, let kind):
      names = [BuildFreeName(name)]
      others = [kind]
    case .state(let name, let value):
      // An empty part stands for a value, so that no value equals its absence.
      others = [name] + (value.map { ["", $0] } ?? [])
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
