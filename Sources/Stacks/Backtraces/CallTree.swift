import CallStacks

/// A tree of calls. The samples of a call include those of its callees, so the tree is a flame graph rather than one
/// stack.
struct CallTree: Sendable {
  private struct Call: Sendable {
    /// The index of its caller; -1 = none.
    let caller: Int32
    let depth: Int32
    /// The index in `frames`.
    let frame: Int32
    var isCaller = false
    /// Nil = not stated.
    let samples: UInt64?
  }

  private var calls: [Call] = []
  /// The frames of the text, set when it has been read.
  var frames: [StackFrame] = []

  var isEmpty: Bool { calls.isEmpty }

  /// Adds a call and returns its index. `caller`: the caller's index; nil for an outermost call. Callers are added
  /// before their callees.
  @discardableResult
  mutating func add(
    _ frame: Int, calledBy caller: Int?, samples: UInt64?, line: Int
  ) throws(BacktraceError) -> Int {
    let depth = caller.map { calls[$0].depth + 1 } ?? 0
    guard depth < BacktraceLimits.deepestTree else {
      throw BacktraceError(line, "more than \(BacktraceLimits.deepestTree) nested calls")
    }
    if let caller { calls[caller].isCaller = true }
    calls.append(Call(caller: Int32(caller ?? -1), depth: depth, frame: Int32(frame), samples: samples))
    return calls.count - 1
  }

  /// Returns whether a call's function fulfils the condition. O(calls).
  func hasFunction(_ condition: (String) -> Bool) -> Bool {
    calls.contains { frames[Int($0.frame)].symbol.map(condition) ?? false }
  }

  /// Returns up to `count` of the outermost frames of the first stack, the outermost first.
  func outermost(_ count: Int) -> [StackFrame] {
    var found: [StackFrame] = []
    var last: Int32 = -1
    // Callees come after their callers.
    for (place, call) in calls.enumerated() where call.caller == last {
      found.append(frames[Int(call.frame)])
      last = Int32(place)
      if found.count == count { break }
    }
    return found
  }

  /// Adds one stack, innermost frame first.
  mutating func add(stack: [Int], line: Int) throws(BacktraceError) {
    var caller: Int?
    for frame in stack.reversed() { caller = try add(frame, calledBy: caller, samples: nil, line: line) }
  }

  /// Returns the stacks of the tree, innermost frame first, each with the samples that went no deeper. Adds the
  /// number of their frames to `unfolded`, which counts those of all threads.
  func stacks(line: Int, _ unfolded: inout Int) throws(BacktraceError) -> [(
    frames: [StackFrame], samples: UInt64
  )] {
    var samples = calls.map { $0.samples ?? 0 }
    /// The samples of each call's callees.
    var inner = [UInt64](repeating: 0, count: calls.count)
    // Callees come after their callers.
    for (place, call) in calls.enumerated().reversed() {
      if call.samples == nil { samples[place] = call.isCaller ? inner[place] : 1 }
      if call.caller >= 0 { inner[Int(call.caller)] &+= samples[place] }
    }
    var stacks: [(frames: [StackFrame], samples: UInt64)] = []
    for (place, call) in calls.enumerated() {
      guard samples[place] > inner[place] || !call.isCaller else { continue }
      unfolded += Int(call.depth) + 1
      guard unfolded <= BacktraceLimits.unfolded else {
        throw BacktraceError(
          line, "the calls of the judged threads unfold into more than \(BacktraceLimits.unfolded) frames")
      }
      var own: [StackFrame] = []
      own.reserveCapacity(Int(call.depth) + 1)
      var next = place
      while next >= 0 {
        own.append(frames[Int(calls[next].frame)])
        next = Int(calls[next].caller)
      }
      stacks.append((own, call.isCaller ? samples[place] - inner[place] : samples[place]))
    }
    return stacks
  }
}
