import CallStacks
import ReportWriting
import RunLoopVocabulary
import TraceAnalysis

/// The stacks that were sampled in gaps, as one tree of calls, and the samples.
///
/// The durations of the samples add up to those of table `stacks`. Samples that represent no part of a gap are left
/// out.
struct StackSamples {
  struct Function {
    var name: String
    /// The file name of its program or library; nil = not known.
    var image: String?
  }

  /// A call on a stack. Equal functions with equal callers are one call.
  struct Call: Hashable {
    /// An index into `calls`, before the call itself; -1 = the call is the outermost.
    var caller: Int
    /// An index into `functions`.
    var function: Int
  }

  struct Sample {
    /// The track of the thread.
    var track: Track
    /// The innermost call, an index into `calls`.
    var call: Int
    var start: UInt64
    /// The part of the gap that the sample represents. Not 0.
    var duration: UInt64
  }

  /// One for each function, regardless of lines.
  private(set) var functions: [Function] = []
  var calls: [Call] { numberedCalls.elements }
  /// In the order of their starts. Those of one thread do not overlap.
  private(set) var samples: [Sample] = []
  private var tracks: [Track] = []
  private var identities = Numbered<StackFrame.Identity>()
  private var numberedCalls = Numbered<Call>()

  /// `trackOfThread` returns the track of a thread by the thread's index.
  init(_ analysis: Analysis, track trackOfThread: (UInt32) -> Track) {
    let frames = Dictionary(analysis.sampledStacks.map { ($0.number, $0.frames) }) { first, _ in first }
    var innermost: [Int: Int] = [:]
    var seen: Set<Int> = []
    for stall in analysis.stalls {
      for sample in stall.stacks where sample.durationNs > 0 {
        let track = trackOfThread(stall.thread)
        let call = innermost[sample.number] ?? place(of: frames[sample.number] ?? [])
        innermost[sample.number] = call
        if seen.insert(track.number).inserted { tracks.append(track) }
        samples.append(
          Sample(track: track, call: call, start: sample.startNs, duration: sample.durationNs))
      }
    }
    samples = samples.ordered { $0.start < $1.start }
    functions = identities.elements.map {
      Function(name: ShownName.of($0.name), image: $0.image.map(ShownName.of))
    }
  }

  /// The samples of each thread.
  var threads: [(track: Track, samples: [Sample])] {
    let byTrack = Dictionary(grouping: samples, by: \.track.number)
    return tracks.map { ($0, byTrack[$0.number] ?? []) }
  }

  /// Returns the functions on the stack of a call, outermost first, as indices into `functions`.
  func functions(from call: Int) -> [Int] {
    var found: [Int] = []
    var call = call
    while call >= 0 {
      found.append(calls[call].function)
      call = calls[call].caller
    }
    return found.reversed()
  }

  /// Returns the index of the innermost call of a stack. A stack without frames has an unknown function.
  private mutating func place(of frames: [StackFrame]) -> Int {
    var caller = -1
    for frame in frames.isEmpty ? [StackFrame()] : frames.reversed() {
      let function = identities.place(of: frame.identity)
      caller = numberedCalls.place(of: Call(caller: caller, function: function))
    }
    return caller
  }
}
