import RunLoopVocabulary

/// Determines which function to blame for a stack, and what held it.
package struct StackJudge {
  package let images: AppImages
  package let rules: CauseRules
  /// The traits of frames seen before: the stacks of a thread have most of their functions in common.
  private var known: [Kind: Traits] = [:]
  /// The app's images in which a function with a source line was seen.
  private var withSources: Set<String> = []
  /// By `CallStack.number`.
  private var traitsOfStack: [Int: [Traits]] = [:]

  package init(images: AppImages, rules: CauseRules) {
    self.images = images
    self.rules = rules
  }

  /// The parts of a frame that determine its traits. A function of the same name may occur in a file of the system
  /// and in one of the app.
  private struct Kind: Hashable {
    let frame: StackFrame

    static func == (a: Kind, b: Kind) -> Bool { a.parts == b.parts }

    func hash(into hasher: inout Hasher) { hasher.combine(parts) }

    private var parts: [String?] {
      [
        frame.symbol, frame.demangled, frame.image, frame.imagePath, frame.file,
        frame.isMarkedSystem ? "system" : frame.isMarkedOwn ? "own" : nil, frame.imageID,
        frame.line == nil ? nil : "line", frame.isRunTimeCode ? "run time" : nil,
      ]
    }
  }

  private struct Traits {
    let belonging: AppImages.Belonging
    /// Whether the frame has no source line although its image has source lines.
    let isCopy: Bool
    let runsLoop: Bool
    let isThunk: Bool
    let isRunTimeCode: Bool
    /// The indices of the few rules whose frame pattern matches, and of those whose caller pattern matches.
    let frameOf: [Int]
    let callerOf: [Int]
  }

  /// Learns which of the app's images have debug information. The compiler copies generic code of libraries into
  /// them; such a copy has no source line and does not count as the app's. O(frames).
  package mutating func learnSources(_ frames: some Sequence<StackFrame>) {
    for frame in frames {
      guard frame.line != nil, !frame.isInlined, let image = frame.image, !withSources.contains(image),
        traits(frame).belonging == .own
      else { continue }
      withSources.insert(image)
    }
    known = [:]
    traitsOfStack = [:]
  }

  private mutating func traits(_ frame: StackFrame) -> Traits {
    let kind = Kind(frame: frame)
    if let traits = known[kind] { return traits }
    let compared = ComparedFrame(frame)
    let belonging = images.belonging(of: compared)
    let traits = Traits(
      belonging: belonging, isCopy: frame.file == nil && frame.image.map(withSources.contains) ?? false,
      runsLoop: PlainFrames.runsLoop(compared), isThunk: PlainFrames.isThunk(compared),
      isRunTimeCode: PlainFrames.isRunTimeCode(compared),
      frameOf: rules.rules.indices.filter { rules.rules[$0].frame?.matches(compared, belonging) ?? false },
      callerOf: rules.rules.indices.filter { rules.rules[$0].caller?.matches(compared, belonging) ?? false })
    known[kind] = traits
    return traits
  }

  private mutating func traits(_ stack: CallStack) -> [Traits] {
    if let traits = stack.number.flatMap({ traitsOfStack[$0] }) { return traits }
    let traits = stack.frames.map { self.traits($0) }
    if let number = stack.number { traitsOfStack[number] = traits }
    return traits
  }

  /// Returns whether a frame is the app's own code, so that it can be blamed.
  package mutating func isOwn(_ frame: StackFrame) -> Bool { isOwn(frame, traits(frame)) }

  private func isOwn(_ frame: StackFrame, _ traits: Traits) -> Bool {
    traits.belonging == .own && !traits.isCopy && !traits.isThunk && !traits.isRunTimeCode
      && !frame.isInlinedFromLibrary && !frame.isNameless
  }

  /// Returns the match of the first rule that holds. `evidence`: what is known of the stall besides its stacks.
  package mutating func cause(of stack: CallStack, evidence: StallEvidence = StallEvidence()) -> CauseMatch {
    let traits = traits(stack)
    for (number, rule) in rules.rules.enumerated() where rule.allows(evidence) {
      if let match = match(rule, number, stack, traits, evidence) { return match }
    }
    return CauseMatch(cause: .unknown, rule: nil, frame: nil, index: nil, caller: nil, end: nil)
  }

  private func match(
    _ rule: CauseRule, _ number: Int, _ stack: CallStack, _ traits: [Traits], _ evidence: StallEvidence
  ) -> CauseMatch? {
    func matched(_ index: Int?, caller: Int? = nil) -> CauseMatch {
      // A function of the app, or one that waits for events, may be the one that ran the loop.
      let isPart = rule.caller?.own == false && !rule.isWaiting
      return CauseMatch(
        cause: rule.cause, rule: rule, frame: index.map { stack.frames[$0] }, index: index,
        caller: caller.map { stack.frames[$0] }, end: isPart ? caller : index)
    }
    if rule.ownCodeRuns, traits.first(where: { !$0.isThunk })?.belonging != .own { return nil }
    if rule.frame == nil, rule.systemCalls.isEmpty { return matched(traits.isEmpty ? nil : 0) }
    if let call = evidence.systemCall, rule.systemCalls.anyMatches(FunctionName.plain(call)) {
      return matched(nil)
    }
    guard rule.frame != nil else { return nil }
    guard let caller = rule.caller else {
      return traits.firstIndex { $0.frameOf.contains(number) }.map { matched($0) }
    }
    // Remembers the nearest inner frame for each possible caller, so that one pass is enough.
    var inner: Int?
    for (index, frame) in traits.enumerated() {
      if let inner, frame.callerOf.contains(number), caller.within.map({ index - inner <= $0 }) ?? true {
        return matched(inner, caller: index)
      }
      if frame.frameOf.contains(number), inner == nil || caller.within != nil { inner = index }
    }
    return nil
  }

  /// Returns the app's innermost frame inside the function that ran the loop. `match`: the cause found for the stack.
  /// A loop that runs inside the cause's frame, or inside the library's function that calls it, is a part of the cause.
  package mutating func blame(of stack: CallStack, match: CauseMatch? = nil) -> Blame {
    guard !stack.frames.isEmpty else { return Blame(frame: nil, index: nil, doubts: [.noFrames]) }
    var isOutside = false
    var hasOutside = false
    var passedOver: String?
    var hasNameless = false
    let isCut = stack.frames.contains(where: \.isAtGap)
    func withDoubts(_ doubts: [ConfidenceReason]) -> [ConfidenceReason] {
      var doubts = doubts
      if let passedOver { doubts.append(.imagePassedOver(passedOver)) }
      if hasNameless { doubts.append(.namePassedOver) }
      if isCut { doubts.append(.framesMissing) }
      return doubts
    }
    for (index, traits) in traits(stack).enumerated() {
      let frame = stack.frames[index]
      if traits.runsLoop, index > match?.end ?? 0 { isOutside = true }
      // The functions further out only called the one without a name.
      if traits.isRunTimeCode, !isOutside {
        return Blame(frame: nil, index: nil, doubts: [.runTimeCode])
      }
      if traits.belonging == .unknown, !isOutside { passedOver = passedOver ?? frame.image }
      if index == 0, Self.isImportStub(stack) { continue }
      if !isOutside, frame.function == nil, frame.isNameless || frame.image == nil && frame.imageID == nil {
        hasNameless = true
      }
      guard isOwn(frame, traits) else { continue }
      if isOutside {
        hasOutside = true
        continue
      }
      var doubts: [ConfidenceReason] = []
      if frame.function == nil { doubts.append(.noName) }
      if frame.image == nil {
        doubts.append(.imagesUnknown)
      } else if images.isGuess, frame.imagePath == nil {
        doubts.append(.imagesGuessed)
      }
      return Blame(frame: frame, index: index, doubts: withDoubts(doubts))
    }
    return Blame(
      frame: nil, index: nil,
      doubts: withDoubts([hasOutside ? .onlyOutsideTheLoop : .noOwnFrame]))
  }

  /// Returns the app's functions inside the function that ran the loop, innermost first. `causeEnd`: see `CauseMatch`.
  private mutating func own(of stack: CallStack, causeEnd: Int) -> [StackFrame] {
    var own: [StackFrame] = []
    for (index, traits) in traits(stack).enumerated() {
      if traits.runsLoop && index > causeEnd || traits.isRunTimeCode { break }
      if isOwn(stack.frames[index], traits) { own.append(stack.frames[index]) }
    }
    return own
  }

  /// Returns whether the innermost frame has no name but its caller in the same image has one. Such a frame is a jump
  /// to a function of another image, which the linker inserted.
  private static func isImportStub(_ stack: CallStack) -> Bool {
    guard let inner = stack.frames.first, let caller = stack.frames.dropFirst().first else { return false }
    return inner.function == nil && inner.image != nil && inner.image == caller.image
      && caller.function != nil
  }

  /// Returns the verdict on all stacks of a thread.
  package mutating func verdict(
    of stacks: [CallStack], evidence: StallEvidence = StallEvidence()
  ) -> StackVerdict {
    verdict(of: stacks.map { ($0, evidence) })
  }

  /// Returns the verdict on all stacks of a thread, each with the evidence of its moment.
  package mutating func verdict(of stacks: [(CallStack, StallEvidence)]) -> StackVerdict {
    var verdict = StackVerdict()
    var causeEnds: [Int?] = []
    causeEnds.reserveCapacity(stacks.count)
    for (stack, evidence) in stacks {
      let match = cause(of: stack, evidence: evidence)
      verdict.add(stack)
      if match.rule?.isWaiting == true {
        verdict.addWaiting(stack, match)
        causeEnds.append(nil)
        continue
      }
      verdict.add(stack, blame(of: stack, match: match), match)
      causeEnds.append(match.end ?? 0)
    }
    verdict.finish()
    verdict.caller = caller(stacks, causeEnds, verdict)
    return verdict
  }

  /// Returns the innermost of the app's functions that is on nearly all stacks, if the function to blame is not.
  /// `causeEnds`: the end of each stack's cause; nil for a stack that waited for events.
  private mutating func caller(
    _ stacks: [(CallStack, StallEvidence)], _ causeEnds: [Int?], _ verdict: StackVerdict
  ) -> StackVerdict.Caller? {
    guard let main = verdict.main, main.frame != nil, main.share < StackVerdict.nearlyAll else { return nil }
    let candidates = own(of: main.example, causeEnd: main.match?.end ?? 0).filter {
      $0.identity != main.frame?.identity
    }
    guard !candidates.isEmpty else { return nil }
    var weightOn: [StackFrame.Identity: UInt64] = [:]
    for candidate in candidates { weightOn[candidate.identity] = 0 }
    for ((stack, _), causeEnd) in zip(stacks, causeEnds) {
      guard let causeEnd else { continue }
      for function in Set(own(of: stack, causeEnd: causeEnd).map(\.identity)) {
        if let weight = weightOn[function] { weightOn[function] = weight.saturated(adding: stack.weight) }
      }
    }
    let enough = Double(verdict.weight - verdict.waitingWeight) * StackVerdict.nearlyAll
    for frame in candidates {
      if let weight = weightOn[frame.identity], Double(weight) >= enough { return (frame, weight) }
    }
    return nil
  }
}
