import RunLoopVocabulary

/// The result of judging all stacks of one thread.
package struct StackVerdict: Sendable {
  /// The minimum number of samples that does not limit the confidence.
  package static let manySamples: UInt64 = 5

  package internal(set) var samples: UInt64 = 0
  package internal(set) var weight: UInt64 = 0
  /// The samples in which the thread waited for events and nothing held it, and their weight.
  package internal(set) var waitingSamples: UInt64 = 0
  package internal(set) var waitingWeight: UInt64 = 0
  /// The rule that detected the wait.
  package internal(set) var waiting: CauseMatch?
  /// The other stacks, grouped by the function to blame, the heaviest first; equal ones in order of appearance.
  package private(set) var groups: [BlameGroup] = []
  /// The number of blamed functions that are not in `groups`, and their stacks together.
  package private(set) var omittedGroups = 0
  private var omitted = BlameGroup(frame: nil)
  private var places: [StackFrame.Identity?: Int] = [:]
  /// The innermost of the app's functions that is on nearly all stacks, if the function to blame is not: for example
  /// the caller of two functions that took half of the time each.
  package internal(set) var caller: Caller?

  /// A function, and the weight of the stacks that contain it.
  package typealias Caller = (frame: StackFrame, weight: UInt64)
  /// The minimum share of the stacks that counts as nearly all.
  package static let nearlyAll = 0.8

  /// The heaviest group, which is to blame. Nil when the thread only waited, or has no stacks.
  package var main: BlameGroup? { groups.first }

  /// The causes of all stacks that did not wait for events, whatever function is blamed: the heaviest first, equal
  /// ones in order of appearance.
  package private(set) var causes: [CauseShare] = []

  mutating func add(_ stack: CallStack) {
    samples = samples.saturated(adding: stack.samples)
    weight = weight.saturated(adding: stack.weight)
  }

  mutating func addWaiting(_ stack: CallStack, _ match: CauseMatch) {
    waitingSamples = waitingSamples.saturated(adding: stack.samples)
    waitingWeight = waitingWeight.saturated(adding: stack.weight)
    waiting = waiting ?? match
  }

  mutating func add(_ stack: CallStack, _ blame: Blame, _ match: CauseMatch) {
    let key = blame.frame?.identity
    let place = places[key] ?? places.count
    places[key] = place
    guard place < StackLimits.groupsKept else { return omitted.add(stack, blame, match) }
    if place == groups.count { groups.append(BlameGroup(frame: blame.frame)) }
    groups[place].add(stack, blame, match)
  }

  mutating func finish() {
    causes = CauseShare.shares(of: (groups + [omitted]).flatMap(\.causes))
    let busy = weight - waitingWeight
    for index in groups.indices { groups[index].finish(of: busy) }
    let order = groups.indices.ordered { (groups[$1].weight, $0) < (groups[$0].weight, $1) }
    groups = order.prefix(StackLimits.groupsListed).map { groups[$0] }
    omittedGroups = places.count - groups.count
    places = [:]
  }
}

/// The stacks held by one cause.
package struct CauseShare: Sendable {
  package let cause: StallCause
  package private(set) var samples: UInt64
  package private(set) var weight: UInt64
  /// The match of its heaviest part.
  package private(set) var match: CauseMatch
  private var heaviest: UInt64

  /// Adds up the parts with the same cause, the heaviest first; equal ones in order of appearance.
  static func shares(of parts: [BlameGroup.Part]) -> [CauseShare] {
    var shares: [CauseShare] = []
    for part in parts {
      if let place = shares.firstIndex(where: { $0.cause == part.match.cause }) {
        shares[place].add(part)
      } else {
        shares.append(CauseShare(part))
      }
    }
    return shares.enumerated().ordered { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
      .map(\.element)
  }

  init(_ part: BlameGroup.Part) {
    cause = part.match.cause
    samples = part.samples
    weight = part.weight
    match = part.match
    heaviest = part.weight
  }

  mutating func add(_ part: BlameGroup.Part) {
    samples = samples.saturated(adding: part.samples)
    weight = weight.saturated(adding: part.weight)
    guard part.weight > heaviest else { return }
    match = part.match
    heaviest = part.weight
  }
}

/// The stacks blamed on one function.
package struct BlameGroup: Sendable {
  /// Nil for stacks without a function of the app.
  package let frame: StackFrame?
  package private(set) var samples: UInt64 = 0
  package private(set) var weight: UInt64 = 0
  /// The share of the weight of all stacks that did not wait for events, 0...1.
  package private(set) var share = 0.0
  package private(set) var confidence = Confidence.none
  /// The confidence in the function alone, even if the cause is not known.
  package private(set) var functionConfidence = Confidence.none
  /// The reasons that limit or support the confidence.
  package private(set) var reasons: [ConfidenceReason] = []
  /// The causes of the stacks, the heaviest first.
  package private(set) var causes: [Part] = []
  /// The heaviest stack of the first cause, and the function's index in it.
  package private(set) var example = CallStack(frames: [], samples: 0)
  package private(set) var index: Int?

  /// The stacks for which one rule held.
  package struct Part: Sendable {
    package fileprivate(set) var match: CauseMatch
    package fileprivate(set) var samples: UInt64
    package fileprivate(set) var weight: UInt64
    fileprivate var example: CallStack
    fileprivate var index: Int?
  }

  /// The causes of its stacks, whatever rules found them.
  package var causeShares: [CauseShare] { CauseShare.shares(of: causes) }

  /// The heaviest cause.
  package var match: CauseMatch? { causes.first?.match }
  package var cause: StallCause { match?.cause ?? .unknown }

  init(frame: StackFrame?) { self.frame = frame }

  mutating func add(_ stack: CallStack, _ blame: Blame, _ match: CauseMatch) {
    samples = samples.saturated(adding: stack.samples)
    weight = weight.saturated(adding: stack.weight)
    // One reason of each kind, because a tree may pass over thousands of images.
    for doubt in blame.doubts where reasons.allSatisfy({ $0.name != doubt.name }) { reasons.append(doubt) }
    guard let place = causes.firstIndex(where: { $0.match.rule?.id == match.rule?.id }) else {
      causes.append(
        Part(match: match, samples: stack.samples, weight: stack.weight, example: stack, index: blame.index))
      return
    }
    causes[place].samples = causes[place].samples.saturated(adding: stack.samples)
    causes[place].weight = causes[place].weight.saturated(adding: stack.weight)
    if stack.weight > causes[place].example.weight {
      causes[place].match = match
      causes[place].example = stack
      causes[place].index = blame.index
    }
  }

  mutating func finish(of busy: UInt64) {
    causes = causes.enumerated().ordered { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
      .map(\.element)
    example = causes.first?.example ?? example
    index = causes.first?.index
    share = busy > 0 ? Double(weight) / Double(busy) : 0
    if frame != nil {
      switch samples {
      case 0, 1: reasons.append(.oneSample)
      case ..<StackVerdict.manySamples: reasons.append(.fewSamples(samples))
      default: reasons.append(.samples(samples))
      }
      if samples > 1 { reasons.append(.share(share)) }
    }
    functionConfidence = reasons.map(\.limit).min() ?? .none
    if functionConfidence > .none {
      if cause == .unknown { reasons.append(.causeUnknown) }
      if match?.rule?.isCertain == false { reasons.append(.causeLikely) }
    }
    confidence = reasons.map(\.limit).min() ?? .none
    // The reasons that limit the confidence most come first.
    reasons = reasons.enumerated().ordered { ($0.element.limit, $0.offset) < ($1.element.limit, $1.offset) }
      .map(\.element)
  }
}
