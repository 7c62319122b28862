import CallStacks
import TraceAnalysis
import TraceFormat

/// Stacks as flame graphs are made of: `thread;outermost;…;innermost samples`, one line per stack.
public enum CollapsedStacks {
  /// Equal stacks are one line, sorted by their text.
  public static func lines(_ stacks: [(thread: String, stack: CallStack)]) -> [String] {
    var samples: [String: UInt64] = [:]
    for (thread, stack) in stacks {
      let names = [thread] + stack.frames.reversed().map(name)
      let (sum, overflow) = samples[names.joined(separator: ";"), default: 0].addingReportingOverflow(
        stack.weight)
      samples[names.joined(separator: ";")] = overflow ? .max : sum
    }
    return samples.keys.sorted().map { "\($0) \(samples[$0] ?? 0)" }
  }

  private static func name(_ frame: StackFrame) -> String { name(frame.name) }

  /// A semicolon parts frames.
  static func name(_ name: String) -> String { harmless(name, limit: 400).with(":", for: ";") }
}
