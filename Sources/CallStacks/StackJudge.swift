import RunLoopVocabulary

/// Says of stacks whose function was to blame, and what it was held by.
public struct StackJudge {
  public let images: AppImages
  public let rules: CauseRules
  /// What is known of functions that were met before: stacks of one thread have most of theirs in common.
  private var known: [StackFrame.Identity: Traits] = [:]

  public init(images: AppImages, rules: CauseRules) {
    self.images = images
    self.rules = rules
  }

  private struct Traits {
    let belonging: AppImages.Belonging
    let runsLoop: Bool
    let isThunk: Bool
    /// By the rule's place: whether the frame is what it speaks of, and whether it is the caller.
    let isFrame: [Bool]
    let isCaller: [Bool]
  }

  private mutating func traits(_ frame: StackFrame) -> Traits {
    // The name may be the same in a file of the system's and in one of the app's.
    if frame.file == nil, let traits = known[frame.identity] { return traits }
    let belonging = images.belonging(of: frame)
    let traits = Traits(
      belonging: belonging, runsLoop: PlainFrames.runsLoop(frame), isThunk: PlainFrames.isThunk(frame),
      isFrame: rules.rules.map { $0.frame?.matches(frame, belonging) ?? false },
      isCaller: rules.rules.map { $0.caller?.matches(frame, belonging) ?? false })
    if frame.file == nil { known[frame.identity] = traits }
    return traits
  }

  /// Somebody wrote it for the app, and it can be to blame.
  public func isOwn(_ frame: StackFrame) -> Bool {
    images.belonging(of: frame) == .own && !PlainFrames.isThunk(frame) && !frame.isInlinedFromLibrary
  }

  /// The first rule that holds. `evidence`: what is known of the stall beside its stacks.
  public mutating func cause(of stack: CallStack, evidence: StallEvidence = StallEvidence()) -> CauseMatch {
    let traits = stack.frames.map { self.traits($0) }
    for (number, rule) in rules.rules.enumerated() where rule.allows(evidence) {
      if let match = match(rule, number, stack, traits, evidence) { return match }
    }
    return CauseMatch(cause: .unknown, rule: nil, frame: nil, index: nil, caller: nil)
  }

  private func match(
    _ rule: CauseRule, _ number: Int, _ stack: CallStack, _ traits: [Traits], _ evidence: StallEvidence
  ) -> CauseMatch? {
    func matched(_ index: Int?, caller: Int? = nil) -> CauseMatch {
      CauseMatch(
        cause: rule.cause, rule: rule, frame: index.map { stack.frames[$0] }, index: index,
        caller: caller.map { stack.frames[$0] })
    }
    if rule.ownCodeRuns, traits.first(where: { !$0.isThunk })?.belonging != .own { return nil }
    if rule.frame == nil, rule.systemCalls.isEmpty { return matched(traits.isEmpty ? nil : 0) }
    if let call = evidence.systemCall, rule.systemCalls.anyMatches(FunctionName.plain(call)) {
      return matched(nil)
    }
    guard rule.frame != nil else { return nil }
    guard let caller = rule.caller else {
      return traits.firstIndex { $0.isFrame[number] }.map { matched($0) }
    }
    // The nearest place of the inner frame before each possible caller: one pass serves.
    var inner: Int?
    for (index, frame) in traits.enumerated() {
      if let inner, frame.isCaller[number], caller.within.map({ index - inner <= $0 }) ?? true {
        return matched(inner, caller: index)
      }
      if frame.isFrame[number], inner == nil || caller.within != nil { inner = index }
    }
    return nil
  }

  /// The innermost frame of the app's own that is inside of what ran the loop. `match`: what was found to hold the
  /// stack; a loop that runs inside of that is a part of it.
  public mutating func blame(of stack: CallStack, match: CauseMatch? = nil) -> Blame {
    guard !stack.frames.isEmpty else { return Blame(frame: nil, index: nil, doubts: [.noFrames]) }
    var isOutside = false
    var hasOutside = false
    for (index, frame) in stack.frames.enumerated() {
      let traits = traits(frame)
      if traits.runsLoop, index > match?.index ?? 0 { isOutside = true }
      guard traits.belonging == .own, !traits.isThunk, !frame.isInlinedFromLibrary,
        !(index == 0 && Self.isOnItsWayOut(stack))
      else { continue }
      if isOutside {
        hasOutside = true
        continue
      }
      var doubts: [ConfidenceReason] = []
      if frame.function == nil { doubts.append(.noName) }
      if frame.image == nil { doubts.append(.imagesUnknown) }
      return Blame(frame: frame, index: index, doubts: doubts)
    }
    return Blame(frame: nil, index: nil, doubts: [hasOutside ? .onlyOutsideTheLoop : .noOwnFrame])
  }

  /// The innermost place has no name and its caller in the same image has one: a jump to another image's function,
  /// which the linker made, and nobody's code.
  private static func isOnItsWayOut(_ stack: CallStack) -> Bool {
    guard let inner = stack.frames.first, let caller = stack.frames.dropFirst().first else { return false }
    return inner.function == nil && inner.image != nil && inner.image == caller.image
      && caller.function != nil
  }

  /// All stacks of a thread together.
  public mutating func verdict(
    of stacks: [CallStack], evidence: StallEvidence = StallEvidence()
  ) -> StackVerdict {
    verdict(of: stacks.map { ($0, evidence) })
  }

  /// The same, each stack with what is known of the moment it was taken at.
  public mutating func verdict(of stacks: [(CallStack, StallEvidence)]) -> StackVerdict {
    var verdict = StackVerdict()
    var places: [StackFrame.Identity?: Int] = [:]
    for (stack, evidence) in stacks {
      let match = cause(of: stack, evidence: evidence)
      verdict.add(stack)
      if match.rule?.isWaiting == true {
        verdict.addWaiting(stack, match)
        continue
      }
      let blame = blame(of: stack, match: match)
      let key = blame.frame?.identity
      let place = places[key] ?? verdict.groups.count
      if places.updateValue(place, forKey: key) == nil {
        verdict.groups.append(BlameGroup(frame: blame.frame))
      }
      verdict.groups[place].add(stack, blame, match)
    }
    verdict.finish()
    return verdict
  }
}
