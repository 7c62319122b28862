import CallStacks
import RunLoopVocabulary

/// The parts of the listed gaps in which a function was sampled, in one mode and around one callout.
package struct FunctionResult: Sendable {
  /// The function. It has no line, because its samples have several.
  package var function = StackFrame()
  package var mode: String = ""
  /// As in `StallResult`; empty = none was recorded.
  package var callout: String = ""
  /// The index in `TraceResult.threads`.
  package var thread: UInt32 = 0
  /// The number of samples with the function on the stack.
  package var samples: UInt64 = 0
  /// The part in which it was the innermost function of the program itself, whatever library code it called.
  package var heldNs: UInt64 = 0
  /// The part in which it was the innermost function.
  package var selfNs: UInt64 = 0
  /// The part in which it was on the stack.
  package var totalNs: UInt64 = 0
  package init() {}
}

/// The functions of sampled stacks, each once.
package struct SampledFunctions: Sendable {
  /// The functions of a stack, as indices into `functions`.
  package struct Stack: Sendable {
    /// Each function once.
    package var all: [Int] = []
    /// Nil = the stack has no frames.
    package var innermost: Int?
    /// The innermost function of the program itself; nil = it has none.
    package var own: Int?
    /// The frame of `own`, with its line.
    package var ownFrame: StackFrame?
  }

  /// The functions without lines.
  package private(set) var functions: [StackFrame] = []
  private var stacks: [Int: Stack] = [:]

  /// O(frames).
  package init(_ sampled: [SampledStack]) {
    var places: [StackFrame.Identity: Int] = [:]
    for stack in sampled where stacks[stack.number] == nil {
      var all: [Int] = []
      for frame in stack.frames {
        let identity = frame.identity
        let place = places[identity] ?? functions.count
        all.append(place)
        guard place == functions.count else { continue }
        places[identity] = place
        var function = frame
        function.line = nil
        functions.append(function)
      }
      let own = stack.frames.firstIndex(where: \.isOwn)
      stacks[stack.number] = Stack(
        all: all.uniqued(), innermost: all.first, own: own.map { all[$0] },
        ownFrame: own.map { stack.frames[$0] })
    }
  }

  /// Returns the functions of the stack with `SampledStack.number`.
  package subscript(number: Int) -> Stack { stacks[number] ?? Stack() }
}
