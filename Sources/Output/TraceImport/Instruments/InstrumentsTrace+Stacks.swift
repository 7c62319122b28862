import TraceFormat
import TraceResults

/// Writing sampled stacks. Only stacks from long stays in one activity are written, on a separate thread of the
/// trace.
extension InstrumentsTrace {
  /// A stay of a loop in one activity.
  struct Stay {
    /// Stacks of shorter stays are left out. A sampler with a period of 1 ms has several stacks in each longer stay.
    static let shortestNs: UInt64 = 10_000_000

    /// An index into `InstrumentsNames.threads`.
    var thread: Int
    var from: UInt64
    /// `UInt64.max`: the stay goes on after the last event.
    var to: UInt64
  }

  /// The name of the thread with the sampled stacks.
  package static let sampleThread = "(Instruments samples)"
  /// A stack accounts for the time until the next one. A thread that does not run is not sampled, so a period without
  /// samples that is longer than this is not attributed to the preceding stack.
  static let silenceNs: UInt64 = 10_000_000
  /// The time that a sample represents if the table does not state it: the period of Instruments' Time Profiler.
  static let assumedWeightNs: UInt64 = 1_000_000
  /// The innermost frame in place of a stack, for a time without samples. No code has this address.
  static let noSample: UInt64 = 0

  /// A stack to write; nil = there is no sample from this time on.
  private struct Taken {
    var time: UInt64
    var osThread: UInt64
    var sample: StackSample?
  }

  mutating func writeStacks() throws(TraceFormatError) {
    summary.withoutStack = recording.samples.withoutStack
    summary.withoutAddress = recording.samples.withoutAddress
    summary.beyondLimits = recording.samples.beyondLimits
    let taken = takenSamples()
    guard !taken.isEmpty else { return }
    try trace.begin(thread: Self.sampleThread)
    try writeCode(of: taken)
    let stacks = recording.names.stacks
    for one in taken {
      var arguments = [one.osThread, StackReason.stalled.rawValue]
      if let sample = one.sample {
        arguments += stacks.frames(of: sample.stack).map { stacks.frames[Int($0)].address }
        if sample.state != .unknown {
          // All other values are not in the export.
          let state =
            [one.osThread, UInt64(sample.state.rawValue)] + Array(repeating: .max, count: 9) + [0, .max]
          try trace.emit(one.time, .threadState, state)
        }
      } else {
        arguments.append(Self.noSample)
      }
      try trace.emit(one.time, .threadStack, arguments)
    }
  }

  // MARK: Which samples

  /// Returns the samples in long stays, in time order. If there are too many, the longest stays take precedence.
  private mutating func takenSamples() -> [Taken] {
    // A thread may have another name in the document of a sample. Its id is the same.
    let threads = recording.names.threads
    var byThread: [UInt64: [StackSample]] = [:]
    let own = Set(stays.map { threads[$0.thread].tid }).subtracting([0])
    for sample in recording.samples.samples {
      let thread = threads[Int(sample.thread)]
      guard thread.process == nil || process.index == nil || thread.process == process.index else { continue }
      if own.contains(thread.tid) {
        byThread[thread.tid, default: []].append(sample)
      } else {
        summary.samplesElsewhere += 1
      }
    }
    for thread in byThread.keys { byThread[thread]?.sort { $0.time < $1.time } }
    let end = recording.samples.samples.reduce(trace.last) { max($0, $1.time) }
    var taken: [Taken] = []
    var samplesOfOwn = byThread.values.reduce(0) { $0 + $1.count }
    func length(_ stay: Stay) -> UInt64 { min(stay.to, max(end, stay.from)) - stay.from }
    for stay in stays.ordered(by: { (length($1), $0.from) < (length($0), $1.from) }) {
      let osThread = threads[stay.thread].tid
      guard let all = byThread[osThread] else { continue }
      let within = all[all.firstPlace { $0.time >= stay.from }..<all.firstPlace { $0.time >= stay.to }]
      let next = Self.withSilences(within, of: osThread, in: stay)
      if within.isEmpty { continue }
      samplesOfOwn -= within.count
      guard taken.count + next.count <= ImportLimits.writtenSamples else {
        summary.beyondLimits += within.count
        continue
      }
      taken += next
      summary.samples += within.count
      summary.sampledStays += 1
    }
    summary.samplesElsewhere += samplesOfOwn
    return taken.ordered { ($0.time, $0.osThread) < ($1.time, $1.osThread) }
  }

  /// Adds the start of each period without samples that is longer than `silenceNs`.
  private static func withSilences(
    _ samples: ArraySlice<StackSample>, of osThread: UInt64, in stay: Stay
  ) -> [Taken] {
    var taken: [Taken] = []
    var heardUntil = stay.from
    for sample in samples {
      if sample.time > heardUntil, sample.time - heardUntil > silenceNs {
        taken.append(Taken(time: heardUntil, osThread: osThread, sample: nil))
      }
      taken.append(Taken(time: sample.time, osThread: osThread, sample: sample))
      let weight = sample.weightNs == 0 ? assumedWeightNs : UInt64(sample.weightNs)
      heardUntil = sample.time + min(weight, .max - sample.time)
    }
    if stay.to != .max, stay.to > heardUntil, stay.to - heardUntil > silenceNs {
      taken.append(Taken(time: heardUntil, osThread: osThread, sample: nil))
    }
    return taken
  }

  // MARK: Code

  /// Writes the images and functions of the frames.
  private mutating func writeCode(of taken: [Taken]) throws(TraceFormatError) {
    let stacks = recording.names.stacks
    let time = taken.first?.time ?? 0
    var names: [UInt64: Int32] = [:]
    var used: Set<Int32> = []
    for stack in Set(taken.compactMap { $0.sample?.stack }).ordered(by: <) {
      for (place, number) in stacks.frames(of: stack).enumerated() {
        let frame = stacks.frames[Int(number)]
        used.insert(frame.binary)
        let address = StackAddress(frame.address, at: place).lookup
        if frame.name >= 0, names[address] == nil { names[address] = frame.name }
      }
    }
    for (number, end) in ends() where used.contains(number) {
      let binary = stacks.binaries[Int(number)]
      let arguments = [
        UInt64(trace.string(binary.path)), binary.base, end - binary.base, UInt64(trace.string(binary.uuid)),
      ]
      try trace.emit(time, .imageMap, arguments)
    }
    for (address, name) in names.ordered(by: { $0.key < $1.key }) {
      let function = trace.string(recording.names.texts[Int(name)])
      guard function != 0 else { continue }
      try trace.emit(time, .frameName, [address, 0, UInt64(function), 0, 0, 0])
    }
  }

  /// Returns the end of each binary, by its number. The export has no sizes: a binary is taken to end after its last
  /// frame.
  private func ends() -> [(number: Int32, end: UInt64)] {
    let stacks = recording.names.stacks
    var ends: [Int32: UInt64] = [:]
    for frame in stacks.frames where frame.binary >= 0 {
      let base = stacks.binaries[Int(frame.binary)].base
      if frame.address >= base, frame.address < .max {
        ends[frame.binary] = max(ends[frame.binary] ?? 0, frame.address + 1)
      }
    }
    return ends.map { ($0.key, $0.value) }.ordered { $0.number < $1.number }
  }
}
