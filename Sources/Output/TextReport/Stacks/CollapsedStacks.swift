import CallStacks
import RunLoopVocabulary
import TraceTables

/// Stacks in the format that flame-graph tools read: `thread;outermost;…;innermost samples`, one line for each stack.
package struct CollapsedStacks {
  private var samples: [String: UInt64] = [:]
  private var bytes = 0

  package init() {}

  /// Adds stacks; equal ones share a line. Returns false if there is no room for all.
  package mutating func add(_ stacks: [CallStack], of thread: String) -> Bool {
    for stack in stacks {
      let names = ([thread] + stack.frames.reversed().map(\.name)).map(StackTables.collapsed)
        .joined(separator: ";")
      if samples[names] == nil { bytes += names.utf8.count }
      guard bytes <= StackLimits.collapsedBytes else { return false }
      samples[names] = (samples[names] ?? 0).saturated(adding: stack.weight)
    }
    return true
  }

  /// Writes the lines in sorted order.
  package func write(_ line: (String) throws -> Void) rethrows {
    for names in samples.keys.ordered() { try line("\(names) \(samples[names] ?? 0)") }
  }
}
