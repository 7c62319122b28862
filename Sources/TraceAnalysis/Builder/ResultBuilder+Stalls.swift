import CallStacks
import RunLoopVocabulary
import TraceFormat
import TraceReplay
import TraceResults

/// Who held the loop in the gaps that were sampled.
extension ResultBuilder {
  func stalls(_ gaps: [Gap], _ replay: borrowing Replay) -> [StallResult] {
    let book = replay.books.stacks
    guard !book.samples.isEmpty else { return [] }
    let stackNames = StackNames(book, names, reader, stacks)
    var judge = StackJudge(
      images: AppImages(named: stacks.appImages, main: programImage(book)), rules: causeRules)
    let samples = Dictionary(grouping: book.samples, by: \.osThread)
    let states = Dictionary(grouping: book.states, by: \.osThread)
    return gaps.compactMap { gap in
      let osThread = definition(ThreadIndex(gap.thread)).osThread
      let span = gap.startNs...(gap.startNs &+ gap.durationNs &+ gap.suspendedNs)
      let taken = (samples[osThread] ?? []).filter { span.contains(ns($0.time)) && $0.reason == .stalled }
      guard !taken.isEmpty else { return nil }
      let looks = (states[osThread] ?? []).filter { span.contains(ns($0.time)) }
      return filled(StallResult()) { it in
        it.startNs = gap.startNs
        it.durationNs = gap.durationNs
        it.after = gap.after
        it.mode = gap.mode
        it.thread = gap.thread
        it.callout = gap.callouts.first.map { "\($0.kind) \($0.name)" } ?? ""
        it.samples = UInt64(taken.count)
        it.evidence = evidence(looks)
        let verdict = judge.verdict(
          of: weighted(taken, until: span.upperBound, from: span.lowerBound, stackNames, book),
          evidence: StallEvidence(
            cpuShare: it.evidence.cpuShare, systemCall: it.evidence.systemCall,
            descriptor: it.evidence.descriptor, isSuspended: gap.suspendedNs > gap.durationNs))
        if let main = verdict.main {
          it.blamed = main.frame
          it.blamedNs = main.weight
          it.confidence = main.confidence
          it.reasons = main.reasons
          it.cause = main.cause
          it.rule = main.match?.rule?.id
          it.remedy = main.match?.rule?.remedy
          it.stack = main.example.frames
        }
        it.owner = owner(looks, samples, states, span, osThread, stackNames, book)
      }
    }
  }

  private var causeRules: CauseRules {
    // They are compiled into the program, and a test reads them.
    guard let builtIn = try? CauseRules.builtIn() else { return stacks.rules ?? .none }
    return stacks.rules?.before(builtIn) ?? builtIn
  }

  /// The image of the program itself is the one that its command line begins with.
  private func programImage(_ book: StackBook) -> String? {
    guard let program = reader.info.first(where: { $0.key == InfoEntry.program })?.value else { return nil }
    return program.split(separator: " ").first?.split(separator: "/").last.map(String.init)
  }

  /// Stacks, each standing for the time from it to the next; the first for the time before it as well.
  private func weighted(
    _ samples: [StackBook.Sample], until end: UInt64, from start: UInt64, _ names: StackNames, _ book: StackBook
  ) -> [CallStack] {
    samples.indices.map { place in
      let begin = place == 0 ? start : ns(samples[place].time)
      let next = place + 1 < samples.count ? ns(samples[place + 1].time) : end
      return CallStack(frames: names.stack(book.stacks[samples[place].stack]), weight: next &- min(begin, next))
    }
  }

  private func evidence(_ looks: [StackBook.State]) -> ThreadEvidence {
    filled(ThreadEvidence()) { it in
      guard let first = looks.first, let last = looks.last else { return }
      func used(_ position: Int) -> UInt64? {
        guard position < first.values.count, position < last.values.count, first.values[position] != .max,
          last.values[position] != .max, last.values[position] >= first.values[position]
        else { return nil }
        return last.values[position] - first.values[position]
      }
      it.spanNs = ns(last.time &- first.time)
      it.cpuNs = used(2)
      it.waitedNs = used(3)
      it.voluntarySwitches = used(4)
      it.involuntarySwitches = used(5)
      it.minorFaults = used(6)
      it.majorFaults = used(7)
      it.readBytes = used(8)
      it.writtenBytes = used(9)
      it.state = mostFrequent(looks.compactMap(\.values.first)).flatMap { UInt8(exactly: $0) }
        .map { String(UnicodeScalar($0)) }
      let machine = reader.info.first { $0.key == "machine" }?.value.split(separator: ",").first.map(String.init) ?? ""
      it.systemCall = mostFrequent(looks.map { $0.values.count > 1 ? $0.values[1] : .max })
        .flatMap { SystemCall.name($0, machine: machine) }
      it.descriptor = mostFrequent(looks.compactMap { $0.values.count > 11 ? $0.values[11] : nil })
        .flatMap(DescriptorKind.init) ?? .unknown
    }
  }

  private func mostFrequent(_ values: [UInt64]) -> UInt64? {
    Dictionary(values.map { ($0, 1) }, uniquingKeysWith: +).max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  private func owner(
    _ looks: [StackBook.State], _ samples: [UInt64: [StackBook.Sample]], _ states: [UInt64: [StackBook.State]],
    _ span: ClosedRange<UInt64>, _ stalled: UInt64, _ stackNames: StackNames, _ book: StackBook
  ) -> LockOwner? {
    func awaited(_ looks: [StackBook.State]) -> UInt64? {
      mostFrequent(looks.compactMap { $0.values.count > 10 && $0.values[10] != 0 ? $0.values[10] : nil })
    }
    guard let osThread = awaited(looks) else { return nil }
    return filled(LockOwner()) { it in
      it.osThread = osThread
      it.name = reader.threads.values.first { $0.osThread == osThread }?.name ?? ""
      it.stack =
        samples[osThread]?.last { span.contains(ns($0.time)) }.map { stackNames.stack(book.stacks[$0.stack]) } ?? []
      it.isDeadlock = awaited((states[osThread] ?? []).filter { span.contains(ns($0.time)) }) == stalled
    }
  }
}
