import CallStacks
import TraceFormat
import TraceReplay
import TraceResults

/// Finds the code that held the loop in the sampled gaps. Linear in gaps and samples, with a binary search for each
/// gap.
struct StallBuilder {
  private let builder: ResultBuilder
  private let book: StackBook
  let names: StackNames
  private var judge: StackJudge
  /// Why the rules cannot be read; nil = they can.
  let unreadableRules: String?
  private let machine: String
  /// By operating system thread, in time order.
  private let samples: [UInt64: [StackBook.Sample]]
  private let states: [UInt64: [StackBook.State]]
  /// When a thread slept at a hidden place, in nanoseconds.
  private let hidden: [UInt64: [UInt64]]
  /// The distinct stacks of runs inside callouts.
  private lazy var nestedRuns: [[StackFrame]] = book.samples.filter { $0.reason == .nestedRun }.map(\.stack)
    .uniqued().map { names.stacks[$0] }
  /// The time that a stack's samples represent, by stack and thread.
  private var standsFor: [SampledKey: UInt64] = [:]

  private struct SampledKey: Hashable {
    let osThread: UInt64
    let reason: StackReason
    let stack: Int
  }

  /// Returns nil if no stack was sampled.
  init?(_ builder: ResultBuilder, _ replay: borrowing Replay, _ named: inout NamedAddresses) {
    book = replay.books.stacks
    guard !book.samples.isEmpty else { return nil }
    self.builder = builder
    let options = builder.stacks
    var rules = options.rules ?? CauseRules.none
    do {
      rules = try rules.before(options.builtInRules())
      unreadableRules = nil
    } catch {
      unreadableRules = "\(error)"
    }
    judge = StackJudge(
      images: AppImages(named: options.appImages, main: Self.program(builder.fact(InfoEntry.program))),
      rules: rules)
    let names = StackNames(book, &named, &judge)
    self.names = names
    machine = builder.fact("machine")?.split(separator: ",").first.map(String.init) ?? ""
    samples = Dictionary(grouping: book.samples, by: \.osThread)
    hidden = book.hidden.mapValues { $0.map { builder.ns($0) }.ordered() }
    // A state may have been read long before it was recorded.
    states = Dictionary(grouping: book.states.map { Self.atReading($0, builder.scale) }, by: \.osThread)
      .mapValues { $0.ordered { $0.time < $1.time } }
  }

  /// Returns the state with the moment at which it was read.
  private static func atReading(_ state: StackBook.State, _ scale: TimeScale) -> StackBook.State {
    let age = scale.length(ns: state[.age] ?? 0)
    let read = state.time.since(Moment.origin &+ age)
    return with(state) { $0.time = Moment.origin &+ read }
  }

  /// Returns the image of the program itself: the first word of its command line.
  private static func program(_ commandLine: String?) -> String? {
    commandLine?.split(separator: " ").first?.split(separator: "/").last.map(String.init)
  }

  private func ns(_ moment: Moment) -> UInt64 { builder.ns(moment) }

  /// Returns the thread's samples in a span of nanoseconds.
  private func samples(_ osThread: UInt64, _ span: ClosedRange<UInt64>) -> ArraySlice<StackBook.Sample> {
    samples[osThread]?.within(span) { ns($0.time) } ?? []
  }

  /// Returns the samples of what a thread itself did in a span. None if its place was hidden for more than a tenth of
  /// the span: the others show only when it ran, and must not stand for the time in which it slept.
  private func ownSamples(_ osThread: UInt64, _ span: ClosedRange<UInt64>) -> [StackBook.Sample] {
    let taken = samples(osThread, span).filter { $0.reason != .owner && $0.reason.isSampled }
    let unseen = hidden[osThread]?.within(span) { $0 } ?? []
    guard !unseen.isEmpty else { return taken }
    let looks = (taken.map { (at: ns($0.time), isSeen: true) } + unseen.map { (at: $0, isSeen: false) })
      .ordered { $0.at < $1.at }
    // Each represents the time until the next one; the first also represents the time before it.
    var begin = span.lowerBound, seenNs: UInt64 = 0
    for (look, end) in zip(looks, looks.dropFirst().map(\.at) + [span.upperBound]) {
      if look.isSeen { seenNs &+= end &- begin }
      begin = end
    }
    return isAtLeast(seenNs, StallResult.nearlyAll, of: span.upperBound &- span.lowerBound) ? taken : []
  }

  mutating func stalls(_ gaps: [Gap]) -> [StallResult] { gaps.compactMap { stall($0) } }

  private mutating func stall(_ gap: Gap) -> StallResult? {
    let osThread = builder.definition(ThreadIndex(gap.thread)).osThread
    let span = gap.startNs...gap.endNs
    let taken = ownSamples(osThread, span)
    guard !taken.isEmpty else { return nil }
    let looks = looks(osThread, span)
    let known = evidence(of: taken, looks, isSuspended: gap.suspendedNs > gap.durationNs)
    let stacks = weighted(taken, span)
    let verdict = judge.verdict(of: Array(zip(stacks, known)))
    let causes = verdict.causes
    let reached = gap.limitNs.flatMap { gap.durationNs >= $0 ? $0 : nil }
    let atLimit = limitStack(Array(zip(taken, known)), begin: gap.startNs, limitNs: reached)
    return with(StallResult()) { it in
      it.startNs = gap.startNs
      it.durationNs = gap.durationNs
      it.after = gap.after
      it.mode = gap.mode
      it.thread = gap.thread
      it.callout = gap.callouts.first.map { "\($0.kind) \($0.name)" } ?? ""
      it.samples = UInt64(taken.count)
      var begin = span.lowerBound
      it.stacks = zip(taken, stacks).map { sample, stack in
        defer { begin &+= stack.weight }
        return StallSample(
          startNs: begin, durationNs: stack.weight, number: sample.stack,
          unseenNs: max(ns(sample.time), begin) &- begin)
      }
      it.evidence = evidence(looks)
      bound(&it.evidence, of: looks, in: span, of: osThread)
      it.filledBy = gap.callouts.first.flatMap {
        isAtLeast($0.selfNs, StallResult.nearlyAll, of: gap.durationNs) ? $0 : nil
      }
      it.owner = owner(looks, span, of: osThread)
      it.atLimit = atLimit
      it.causes = causes.map { ($0.cause, $0.weight) }
      guard let main = verdict.main, let longest = causes.first else { return }
      let isOfFunction = main.frame != nil && verdict.caller == nil
      let cause = isOfFunction ? main.causeShares.first ?? longest : longest
      it.blamed = main.frame
      it.blamedNs = main.weight
      it.functions = verdict.groups.compactMap { group in
        group.frame.map { ($0, group.weight, group.causeShares.map { ($0.cause, $0.weight) }) }
      }
      it.caller = verdict.caller.map { ($0.frame, $0.weight) }
      it.functionConfidence = main.functionConfidence
      it.confidence = cause.cause == .unknown ? min(main.confidence, .low) : main.confidence
      it.reasons = main.reasons
      it.cause = cause.cause
      let match = main.causes.first { $0.match.cause == cause.cause }?.match ?? cause.match
      it.rule = match.rule?.id
      it.remedy = match.rule?.remedy
      it.stack = main.example.frames
    }
  }

  /// Returns the stacks. Each represents the time until the next one; the first also represents the time before it.
  private mutating func weighted(_ samples: [StackBook.Sample], _ span: ClosedRange<UInt64>) -> [CallStack] {
    samples.indices.map { place in
      let sample = samples[place]
      let begin = place == 0 ? span.lowerBound : ns(sample.time)
      let next = place + 1 < samples.count ? ns(samples[place + 1].time) : span.upperBound
      let weight = next &- min(begin, next)
      standsFor[
        SampledKey(osThread: sample.osThread, reason: sample.reason, stack: sample.stack), default: 0] &+=
        weight
      return CallStack(frames: names.stacks[sample.stack], weight: weight, number: sample.stack)
    }
  }

  // MARK: Limits

  /// Returns the stack at the limit: the sample nearest to the moment of the limit, or, if the limit is not known,
  /// the one that the recorder took at it.
  private mutating func limitStack(
    _ samples: [(StackBook.Sample, StallEvidence)], begin: UInt64, limitNs: UInt64?
  ) -> LimitStack? {
    func distance(_ sample: StackBook.Sample, _ limit: UInt64) -> UInt64 {
      let after = ns(sample.time) &- begin
      return max(after, limit) - min(after, limit)
    }
    let found = limitNs.map { limit in samples.min { distance($0.0, limit) < distance($1.0, limit) } }
    guard let (sample, evidence) = found ?? samples.last(where: { $0.0.reason == .limit }) else { return nil }
    let stack = CallStack(frames: names.stacks[sample.stack], number: sample.stack)
    let match = judge.cause(of: stack, evidence: evidence)
    let blame = judge.blame(of: stack, match: match)
    return with(LimitStack()) { it in
      it.afterNs = ns(sample.time) &- begin
      it.blamed = blame.frame
      it.cause = match.cause
      it.stack = stack.frames
    }
  }

  /// Returns what the thread that marked the launch did at the limit. `end` is the first run of the main loop, or the
  /// end of the mark's phase.
  mutating func launchAtLimit(from begin: UInt64, to end: UInt64) -> LimitStack? {
    let taken = book.samples.within(begin...max(begin, end)) { ns($0.time) }.filter { $0.reason == .limit }
    guard let thread = taken.last?.osThread else { return nil }
    let own = taken.filter { $0.osThread == thread }
    let known = evidence(of: own, looks(thread, begin...max(begin, end)), isSuspended: false)
    return limitStack(Array(zip(own, known)), begin: begin, limitNs: nil)
  }

  /// Returns what a thread did in a span of nanoseconds, by its samples, and the program's function that did it; nil = it
  /// was not sampled.
  mutating func activity(of osThread: UInt64, in span: ClosedRange<UInt64>)
    -> (cause: StallCause, function: StackFrame?)?
  {
    let taken = ownSamples(osThread, span)
    guard !taken.isEmpty else { return nil }
    let looks = looks(osThread, span)
    let known = evidence(of: taken, looks, isSuspended: false)
    let stacks = taken.map { CallStack(frames: names.stacks[$0.stack], number: $0.stack) }
    let verdict = judge.verdict(of: Array(zip(stacks, known)))
    return (verdict.main?.cause ?? .unknown, verdict.main?.frame)
  }

  /// Returns the program's functions that threads were in in a span of nanoseconds, by their samples.
  mutating func functions(of osThreads: [UInt64], in span: ClosedRange<UInt64>) -> [QueueBacklog.Function] {
    var stacks: [(CallStack, StallEvidence)] = []
    for osThread in osThreads {
      let taken = ownSamples(osThread, span)
      let known = evidence(of: taken, looks(osThread, span), isSuspended: false)
      stacks += zip(taken.map { CallStack(frames: names.stacks[$0.stack], number: $0.stack) }, known)
    }
    return judge.verdict(of: stacks).groups.compactMap { group in
      group.frame.map { QueueBacklog.Function(frame: $0, cause: group.cause, samples: group.samples) }
    }
  }

  /// Returns the program's function that ran the loop in work with the name of its function; nil = the noted callers of
  /// such runs show none, or several.
  mutating func runner(inWork name: String) -> StackFrame? {
    let runners = nestedRuns.filter { stack in stack.contains { $0.name == name } }
      .compactMap { $0.first(where: \.isOwn) }
    guard let runner = runners.first, runners.allSatisfy({ $0.name == runner.name }) else { return nil }
    return runner
  }

  // MARK: Evidence

  private func looks(_ osThread: UInt64, _ span: ClosedRange<UInt64>) -> ArraySlice<StackBook.State> {
    states[osThread]?.within(span) { ns($0.time) } ?? []
  }

  /// Returns the evidence for each sample: the state read just before it, and the processor use from that state to
  /// the next. For the last state, it is the use since the state before it.
  private func evidence(
    of samples: [StackBook.Sample], _ looks: ArraySlice<StackBook.State>, isSuspended: Bool
  ) -> [StallEvidence] {
    var place = looks.startIndex
    return samples.map { sample in
      while place + 1 < looks.endIndex, looks[place + 1].time <= sample.time { place += 1 }
      var evidence = StallEvidence(isSuspended: isSuspended)
      guard place < looks.endIndex, looks[place].time <= sample.time else { return evidence }
      let other = place + 1 < looks.endIndex ? place + 1 : max(place - 1, looks.startIndex)
      evidence.cpuShare = used(looks[min(place, other)...max(place, other)]).cpuShare
      if evidence.cpuShare == nil, builder.level == .imported, looks[place].time == sample.time {
        evidence.cpuShare = StallBuilder.cpuShare(ofImported: looks[place])
      }
      evidence.systemCall = looks[place][.systemCall].flatMap { SystemCall.name($0, machine: machine) }
      // A thread that fell asleep while it was looked at has a system call.
      evidence.isRunning =
        looks[place][.state] == UInt64(UInt8(ascii: "R")) && looks[place][.systemCall] == nil
      evidence.descriptor = looks[place][.descriptor].flatMap(DescriptorKind.init) ?? .unknown
      return evidence
    }
  }

  /// Returns the processor use of a thread that another tool saw: an imported R means that it had a processor.
  private static func cpuShare(ofImported look: StackBook.State) -> Double? {
    switch look[.state].map({ Unicode.Scalar(UInt8(clamping: $0)) }) {
    case "R": 1
    case "S": 0
    default: nil
    }
  }

  /// Returns the resources used between the first and the last of some states. States that were read for the times
  /// alone do not have the others.
  private func used(_ looks: ArraySlice<StackBook.State>) -> ThreadEvidence {
    var evidence = ThreadEvidence()
    guard let first = looks.first, let last = looks.last else { return evidence }
    func used(_ position: StackBook.State.Position) -> UInt64? {
      guard let before = looks.first(where: { $0[position] != nil })?[position],
        let after = looks.last(where: { $0[position] != nil })?[position], after >= before
      else { return nil }
      return after - before
    }
    evidence.spanNs = builder.ns(last.time &- first.time)
    evidence.cpuNs = used(.cpu)
    evidence.waitedNs = used(.waited)
    evidence.voluntarySwitches = used(.voluntarySwitches)
    evidence.involuntarySwitches = used(.involuntarySwitches)
    evidence.minorFaults = used(.minorFaults)
    evidence.majorFaults = used(.majorFaults)
    evidence.readBytes = used(.readBytes)
    evidence.writtenBytes = used(.writtenBytes)
    return evidence
  }

  private func evidence(_ looks: ArraySlice<StackBook.State>) -> ThreadEvidence {
    guard !looks.isEmpty else { return ThreadEvidence() }
    var evidence = used(looks)
    let looks = looks.filter { $0[.state] != nil }
    evidence.state = mostFrequent(looks.map { $0[.state] }).flatMap { UInt8(exactly: $0) }
      .map { String(UnicodeScalar($0)) }
    evidence.systemCall = mostFrequent(looks.map { $0[.systemCall] })
      .flatMap { SystemCall.name($0, machine: machine) }
    evidence.descriptor = mostFrequent(looks.map { $0[.descriptor] }).flatMap(DescriptorKind.init) ?? .unknown
    return evidence
  }

  /// Sets the most that a thread can have used in a span. `looks` are the states in the span. The part before the
  /// first state is limited by its length, and by the use since the last state before the span. So is the part after
  /// the last state.
  private func bound(
    _ evidence: inout ThreadEvidence, of looks: ArraySlice<StackBook.State>, in span: ClosedRange<UInt64>,
    of osThread: UInt64
  ) {
    guard let first = looks.first, let last = looks.last, let all = states[osThread] else { return }
    // Several threads serve the main queue of a program without a loop.
    let isOneThread = osThread != 0
    let before = isOneThread && looks.startIndex > all.startIndex ? all[looks.startIndex - 1] : nil
    let after = isOneThread && looks.endIndex < all.endIndex ? all[looks.endIndex] : nil
    func most(_ position: StackBook.State.Position, _ known: UInt64?) -> UInt64? {
      guard let known else { return nil }
      func use(_ begin: StackBook.State?, _ end: StackBook.State?) -> UInt64 {
        guard let begin = begin?[position], let end = end?[position], end >= begin else { return .max }
        return end - begin
      }
      let head = min(ns(first.time) &- span.lowerBound, use(before, first))
      let tail = min(span.upperBound &- ns(last.time), use(last, after))
      return [known, head, tail].saturatedSum
    }
    evidence.cpuAtMostNs = most(.cpu, evidence.cpuNs)
    evidence.waitedAtMostNs = most(.waited, evidence.waitedNs)
  }

  /// Returns the most frequent value. Nil counts as a value of its own.
  private func mostFrequent(_ values: [UInt64?]) -> UInt64? {
    let counts = Dictionary(values.map { ($0, 1) }, uniquingKeysWith: +)
    return counts.max { ($0.value, $1.key ?? .max) < ($1.value, $0.key ?? .max) }?.key
  }

  /// Returns the thread that held the lock or queue for which a thread waited in a span of nanoseconds; nil = not known.
  mutating func owner(for osThread: UInt64, in span: ClosedRange<UInt64>) -> LockOwner? {
    owner(looks(osThread, span), span, of: osThread)
  }

  private mutating func owner(
    _ looks: ArraySlice<StackBook.State>, _ span: ClosedRange<UInt64>, of stalled: UInt64
  ) -> LockOwner? {
    func awaited(_ looks: ArraySlice<StackBook.State>) -> UInt64? {
      mostFrequent(looks.compactMap { $0[.awaitedThread] }.filter { $0 != 0 })
    }
    guard let osThread = awaited(looks) else { return nil }
    return with(builder.names.lockOwner(osThread)) { it in
      let stack = samples(osThread, span).last?.stack
      it.stack = stack.map { names.stacks[$0] } ?? []
      let call = CallStack(frames: it.stack, number: stack)
      let match = judge.cause(of: call)
      // Outside the loop as well: it took the lock there.
      it.blamed = judge.blame(of: call, match: match).frame ?? it.stack.first(where: \.isOwn)
      it.isInLoop = match.rule?.isWaiting ?? false
      it.cause = match.cause
      it.isItself = osThread == stalled
      it.isDeadlock = awaited(self.looks(osThread, span)) == stalled
    }
  }

  // MARK: All stacks

  /// Returns the distinct stacks in the span.
  func distinct() -> [SampledStack] {
    let inSpan = book.samples.filter { $0.time >= builder.from && $0.time <= builder.to }
    let counts = Dictionary(
      inSpan.map { (SampledKey(osThread: $0.osThread, reason: $0.reason, stack: $0.stack), 1 as UInt64) },
      uniquingKeysWith: +)
    return counts.map { key, count in
      with(SampledStack()) { it in
        it.osThread = key.osThread
        it.threadName = builder.names.ofThread(key.osThread)
        it.reason = key.reason
        it.samples = count
        it.durationNs = standsFor[key] ?? 0
        it.frames = names.stacks[key.stack]
        it.number = key.stack
      }
    }.ordered {
      // Threads share stacks, and one thread may be sampled in one stack for several reasons.
      ($1.durationNs, $1.samples, $0.number, $0.osThread, $0.reason.rawValue)
        < ($0.durationNs, $0.samples, $1.number, $1.osThread, $1.reason.rawValue)
    }
  }
}
