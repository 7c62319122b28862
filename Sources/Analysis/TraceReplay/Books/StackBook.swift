import TraceFormat

/// The sampled call stacks, and the system's view of the sampled threads at these moments.
///
/// Stacks repeat, so each different stack is kept once. Threads are identified by the operating system's ids, because
/// the holder of a lock need not be a thread of the recording.
package final class StackBook {
  package struct Sample {
    package var time: Moment
    package var osThread: UInt64
    package var reason: StackReason
    /// Index into `stacks`.
    package var stack: Int
  }

  /// A `thread.state` event.
  package struct State {
    /// When it was recorded. It was read `age` nanoseconds earlier.
    package var time: Moment
    package var osThread: UInt64
    fileprivate var values: [UInt64]

    /// In the order of the event table, after the thread.
    package enum Position: Int {
      case state, systemCall, cpu, waited, voluntarySwitches, involuntarySwitches, minorFaults, majorFaults
      case readBytes, writtenBytes, awaitedThread, descriptor, age
    }

    /// Nil = the system did not provide the value, or the recorder did not ask for it.
    package subscript(position: Position) -> UInt64? {
      position.rawValue < values.count && values[position.rawValue] != .max ? values[position.rawValue] : nil
    }
  }

  package struct Unsampled: Hashable {
    package var osThread: UInt64
    package var reason: UnsampledReason
  }

  package struct Image {
    package var path: StringID
    package var base: UInt64
    package var size: UInt64
    package var buildID: StringID
  }

  package private(set) var samples: [Sample] = []
  package private(set) var states: [State] = []
  package private(set) var images: [Image] = []
  /// Each different stack once, as frames, innermost first.
  package private(set) var stacks: [[UInt64]] = []
  /// How often a stack could not be sampled.
  package private(set) var unsampled: [Unsampled: UInt64] = [:]
  /// When threads, by the system's ids, slept at a place that the system hides.
  package private(set) var hidden: [UInt64: [Moment]] = [:]
  private var hiddenCount = 0
  /// The number of events beyond the limits.
  package private(set) var omitted: UInt64 = 0
  private var places: [[UInt64]: Int] = [:]
  /// The number of frames in all of `stacks`.
  private var frameCount = 0

  /// How often each of `stacks` was sampled.
  package var uses: [UInt64] {
    samples.reduce(into: Array(repeating: 0, count: stacks.count)) { $0[$1.stack] += 1 }
  }

  /// Adds a sample. `arguments` are as in the event table. A sample with missing arguments or an unknown reason is
  /// ignored.
  func sample(_ arguments: [UInt64], at time: Moment) {
    guard arguments.count > EventKind.ThreadStack.frame,
      let reason = StackReason(rawValue: arguments[EventKind.ThreadStack.reason])
    else { return }
    let frames = Array(arguments[EventKind.ThreadStack.frame...])
    guard samples.count < AnalysisLimits.stackSamples, let stack = place(of: frames) else {
      omitted &+= 1
      return
    }
    samples.append(
      Sample(
        time: time, osThread: arguments[EventKind.ThreadStack.thread], reason: reason, stack: stack))
  }

  private func place(of frames: [UInt64]) -> Int? {
    if let known = places[frames] { return known }
    guard stacks.count < AnalysisLimits.stacks, frameCount + frames.count <= AnalysisLimits.stackFrames
    else { return nil }
    frameCount += frames.count
    stacks.append(frames)
    places[frames] = stacks.count - 1
    return stacks.count - 1
  }

  func state(_ arguments: [UInt64], at time: Moment) {
    guard let thread = arguments.first else { return }
    guard states.count < AnalysisLimits.threadStates else {
      omitted &+= 1
      return
    }
    states.append(State(time: time, osThread: thread, values: Array(arguments.dropFirst())))
  }

  func unsampled(_ osThread: UInt64, reason: UInt64, at time: Moment) {
    guard let reason = UnsampledReason(rawValue: reason) else { return }
    let key = Unsampled(osThread: osThread, reason: reason)
    guard unsampled[key] != nil || unsampled.count < AnalysisLimits.stackImages else {
      omitted &+= 1
      return
    }
    unsampled[key, default: 0] &+= 1
    guard reason == .placeHidden else { return }
    guard hiddenCount < AnalysisLimits.stackSamples else {
      omitted &+= 1
      return
    }
    hiddenCount += 1
    hidden[osThread, default: []].append(time)
  }

  func image(_ image: Image) {
    if images.count < AnalysisLimits.stackImages { images.append(image) } else { omitted &+= 1 }
  }

  /// Forgets the samples, which belong to stalls before the window. Keeps the images.
  func beginWindow() {
    samples = []
    states = []
    unsampled = [:]
    hidden = [:]
    hiddenCount = 0
    omitted = 0
  }
}
