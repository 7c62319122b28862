import CallStacks

/// Calls with what they called. A caller's samples include those of what it called: a tree is a flame graph, and not
/// one stack.
struct CallTree: Sendable {
  private struct Node: Sendable {
    let parent: Int?
    let depth: Int
    var frame: StackFrame
    /// Nil = not said.
    var samples: UInt64?
    var isCaller = false
    /// Of what it called.
    var inner: UInt64 = 0
  }

  private var nodes: [Node] = []

  var isEmpty: Bool { nodes.isEmpty }
  var count: Int { nodes.count }

  /// `parent`: the place of its caller; nil = the outermost. Callers come first.
  @discardableResult
  mutating func add(
    _ frame: StackFrame, calledBy parent: Int?, samples: UInt64?, line: Int
  ) throws(BacktraceError) -> Int {
    let depth = parent.map { nodes[$0].depth + 1 } ?? 0
    guard depth < BacktraceLimits.deepestTree else {
      throw BacktraceError(line, "more than \(BacktraceLimits.deepestTree) calls inside each other")
    }
    if let parent { nodes[parent].isCaller = true }
    nodes.append(Node(parent: parent, depth: depth, frame: frame, samples: samples))
    return nodes.count - 1
  }

  /// One stack, innermost first.
  mutating func add(stack: [StackFrame], line: Int) throws(BacktraceError) {
    var caller: Int?
    for frame in stack.reversed() { caller = try add(frame, calledBy: caller, samples: nil, line: line) }
  }

  mutating func eachFrame(_ change: (inout StackFrame) -> Void) {
    for index in nodes.indices { change(&nodes[index].frame) }
  }

  /// The stacks that end in a call: innermost first, with the samples that went no deeper.
  func stacks(line: Int) throws(BacktraceError) -> [(frames: [StackFrame], samples: UInt64)] {
    var nodes = nodes
    // Callees are behind their callers.
    for index in nodes.indices.reversed() {
      let samples = nodes[index].samples ?? (nodes[index].isCaller ? nodes[index].inner : 1)
      nodes[index].samples = samples
      if let parent = nodes[index].parent { nodes[parent].inner &+= samples }
    }
    var unfolded = 0
    var stacks: [(frames: [StackFrame], samples: UInt64)] = []
    for (index, node) in nodes.enumerated() {
      let samples = node.samples ?? 0
      guard samples > node.inner || !node.isCaller else { continue }
      unfolded += node.depth + 1
      guard unfolded <= BacktraceLimits.unfolded else {
        throw BacktraceError(
          line, "the calls of this thread unfold into more than \(BacktraceLimits.unfolded) frames")
      }
      var frames: [StackFrame] = []
      frames.reserveCapacity(node.depth + 1)
      var next: Int? = index
      while let at = next {
        frames.append(nodes[at].frame)
        next = nodes[at].parent
      }
      stacks.append((frames, node.isCaller ? samples - node.inner : samples))
    }
    return stacks
  }
}
