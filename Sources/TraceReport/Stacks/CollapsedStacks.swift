import CallStacks
import TraceTables

/// Stacks as flame graphs are made of: `thread;outermost;…;innermost samples`, one line per stack.
public enum CollapsedStacks {
  /// Equal stacks are one line, sorted by their text.
  public static func lines(_ stacks: [(thread: String, stack: CallStack)]) -> [String] {
    var samples: [String: UInt64] = [:]
    for (thread, stack) in stacks {
      let names = ([thread] + stack.frames.reversed().map { StackTables.collapsed($0.name) })
        .joined(separator: ";")
      let (sum, overflow) = samples[names, default: 0].addingReportingOverflow(stack.weight)
      samples[names] = overflow ? .max : sum
    }
    return samples.keys.sorted().map { "\($0) \(samples[$0] ?? 0)" }
  }
}
