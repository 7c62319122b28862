import CallStacks
import RunLoopVocabulary
import TraceFormat
import TraceReplay
import TraceResults

/// Who held the loop in the gaps that were sampled.
struct StallBuilder {
  private let builder: ResultBuilder
  private let book: StackBook
  private let names: StackNames
  private var judge: StackJudge
  private let machine: String
  /// By thread of the operating system, in order of time.
  private let samples: [UInt64: [StackBook.Sample]]
  private let states: [UInt64: [StackBook.State]]
  /// By stack and thread, what its samples stand for.
  private var standsFor: [SampledKey: UInt64] = [:]

  private struct SampledKey: Hashable {
    let osThread: UInt64
    let reason: StackReason
    let stack: Int
  }

  /// Nil when no stack was sampled.
  init?(_ builder: ResultBuilder, _ replay: borrowing Replay) {
    book = replay.books.stacks
    guard !book.samples.isEmpty else { return nil }
    self.builder = builder
    let options = builder.stacks
    // They are compiled into the program, and a test reads them.
    let builtIn = (try? CauseRules.builtIn()) ?? .none
    judge = StackJudge(
      images: AppImages(named: options.appImages, main: Self.program(builder.fact(InfoEntry.program))),
      rules: options.rules?.before(builtIn) ?? builtIn)
    names = StackNames(book, builder.names, builder.reader, options, isOwn: judge.isOwn)
    machine = builder.fact("machine")?.split(separator: ",").first.map(String.init) ?? ""
    samples = Dictionary(grouping: book.samples, by: \.osThread)
    states = Dictionary(grouping: book.states, by: \.osThread)
  }

  /// The image of the program itself is what its command line begins with.
  private static func program(_ commandLine: String?) -> String? {
    commandLine?.split(separator: " ").first?.split(separator: "/").last.map(String.init)
  }

  private func ns(_ moment: Moment) -> UInt64 { builder.ns(moment) }

  mutating func stalls(_ gaps: [Gap]) -> [StallResult] { gaps.compactMap { stall($0) } }

  private mutating func stall(_ gap: Gap) -> StallResult? {
    let osThread = builder.definition(ThreadIndex(gap.thread)).osThread
    let span = gap.startNs...(gap.startNs &+ gap.durationNs &+ gap.suspendedNs)
    let taken = (samples[osThread] ?? []).filter { span.contains(ns($0.time)) && $0.reason == .stalled }
    guard !taken.isEmpty else { return nil }
    let looks = looks(osThread, span)
    let evidence = evidence(looks)
    let stacks = weighted(taken, span)
    let verdict = judge.verdict(
      of: stacks,
      evidence: StallEvidence(
        cpuShare: evidence.cpuShare, systemCall: evidence.systemCall, descriptor: evidence.descriptor,
        isSuspended: gap.suspendedNs > gap.durationNs))
    return filled(StallResult()) { it in
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
        return StallSample(startNs: begin, durationNs: stack.weight, number: sample.stack)
      }
      it.evidence = evidence
      it.owner = owner(looks, span, of: osThread)
      guard let main = verdict.main else { return }
      it.blamed = main.frame
      it.blamedNs = main.weight
      it.confidence = main.confidence
      it.reasons = main.reasons
      it.cause = main.cause
      it.rule = main.match?.rule?.id
      it.remedy = main.match?.rule?.remedy
      it.stack = main.example.frames
    }
  }

  /// Stacks, each standing for the time from it to the next; the first for the time before it as well.
  private mutating func weighted(_ samples: [StackBook.Sample], _ span: ClosedRange<UInt64>) -> [CallStack] {
    samples.indices.map { place in
      let sample = samples[place]
      let begin = place == 0 ? span.lowerBound : ns(sample.time)
      let next = place + 1 < samples.count ? ns(samples[place + 1].time) : span.upperBound
      let weight = next &- min(begin, next)
      standsFor[
        SampledKey(osThread: sample.osThread, reason: sample.reason, stack: sample.stack), default: 0] &+=
        weight
      return CallStack(frames: names.stack(book.stacks[sample.stack]), weight: weight)
    }
  }

  // MARK: Evidence

  private func looks(_ osThread: UInt64, _ span: ClosedRange<UInt64>) -> [StackBook.State] {
    (states[osThread] ?? []).filter { span.contains(ns($0.time)) }
  }

  private func evidence(_ looks: [StackBook.State]) -> ThreadEvidence {
    var evidence = ThreadEvidence()
    guard let first = looks.first, let last = looks.last else { return evidence }
    func used(_ position: StackBook.State.Position) -> UInt64? {
      guard let before = first[position], let after = last[position], after >= before else { return nil }
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
    evidence.state = mostFrequent(looks.map { $0[.state] }).flatMap { UInt8(exactly: $0) }
      .map { String(UnicodeScalar($0)) }
    evidence.systemCall = mostFrequent(looks.map { $0[.systemCall] })
      .flatMap { SystemCall.name($0, machine: machine) }
    evidence.descriptor = mostFrequent(looks.map { $0[.descriptor] }).flatMap(DescriptorKind.init) ?? .unknown
    return evidence
  }

  /// Nil counts as a value of its own.
  private func mostFrequent(_ values: [UInt64?]) -> UInt64? {
    let counts = Dictionary(values.map { ($0, 1) }, uniquingKeysWith: +)
    return counts.max { ($0.value, $1.key ?? .max) < ($1.value, $0.key ?? .max) }?.key
  }

  private func owner(
    _ looks: [StackBook.State], _ span: ClosedRange<UInt64>, of stalled: UInt64
  ) -> LockOwner? {
    func awaited(_ looks: [StackBook.State]) -> UInt64? {
      mostFrequent(looks.compactMap { $0[.awaitedThread] }.filter { $0 != 0 })
    }
    guard let osThread = awaited(looks) else { return nil }
    return filled(LockOwner()) { it in
      it.osThread = osThread
      it.name = name(of: osThread)
      it.stack =
        samples[osThread]?.last { span.contains(ns($0.time)) }.map { names.stack(book.stacks[$0.stack]) }
        ?? []
      it.isDeadlock = awaited(self.looks(osThread, span)) == stalled
    }
  }

  private func name(of osThread: UInt64) -> String {
    builder.reader.threads.values.first { $0.osThread == osThread && osThread != 0 }?.name ?? ""
  }

  // MARK: All stacks

  /// Those in the span, distinct ones once.
  func distinct() -> [SampledStack] {
    let inSpan = book.samples.filter { $0.time >= builder.from && $0.time <= builder.to }
    let counts = Dictionary(
      inSpan.map { (SampledKey(osThread: $0.osThread, reason: $0.reason, stack: $0.stack), 1 as UInt64) },
      uniquingKeysWith: +)
    return counts.map { key, count in
      filled(SampledStack()) { it in
        it.osThread = key.osThread
        it.threadName = name(of: key.osThread)
        it.reason = key.reason
        it.samples = count
        it.durationNs = standsFor[key] ?? 0
        it.frames = names.stack(book.stacks[key.stack])
        it.number = key.stack
      }
    }.sorted { ($1.durationNs, $1.samples, $0.number) < ($0.durationNs, $0.samples, $1.number) }
  }
}
