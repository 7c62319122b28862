import CallStacks
import RunLoopVocabulary

/// The program's functions in callouts, by the stacks that were sampled in listed gaps. A gap counts if one callout
/// took nearly all of it: the samples of other gaps may belong to other callouts.
package struct CalloutFunctions: Sendable {
  /// A function, and its time in the sampled gaps of a callout.
  package struct Held: Sendable {
    /// The function, with its place in the gap in which it has most time.
    package var frame: StackFrame
    package var heldNs: UInt64
    /// The time of the callout in all of these gaps.
    package var calloutNs: UInt64

    /// Such as: "read() app.swift:41" held the thread for 1.20 s of 1.50 s.
    package var sentence: Sentence {
      "\(name: frame.sourcePlace) held the thread for \(ns: heldNs, "held_ns") of \(ns: calloutNs, "callout_ns")"
    }
  }

  private struct Sum {
    var frame: StackFrame
    var ns: UInt64
    /// The function's time in the gap that has `frame`.
    var longestNs: UInt64
  }

  private struct Callout {
    var ns: UInt64 = 0
    var functions: [StackFrame.Identity: Sum] = [:]
  }

  private var callouts: [String: Callout] = [:]

  /// O(stalls).
  package init(_ analysis: Analysis) {
    for stall in analysis.stalls {
      if let callout = stall.filledBy { add(stall, calloutNs: callout.selfNs) }
    }
  }

  private mutating func add(_ stall: StallResult, calloutNs: UInt64) {
    var callout = callouts[stall.callout] ?? Callout()
    callout.ns = callout.ns.saturated(adding: calloutNs)
    for (frame, sampledNs) in stall.holders {
      // The first and the last sample also stand for time around the callout.
      let ns = min(sampledNs, calloutNs)
      var sum = callout.functions[frame.identity] ?? Sum(frame: frame, ns: 0, longestNs: 0)
      sum.ns = sum.ns.saturated(adding: ns)
      if ns > sum.longestNs {
        sum.longestNs = ns
        sum.frame = frame
      }
      callout.functions[frame.identity] = sum
    }
    callouts[stall.callout] = callout
  }

  /// Returns the function with most time in a callout. `callout`: kind and name, as in `StallResult`. Nil if the
  /// samples of no gap show a function well enough.
  package subscript(callout: String) -> Held? {
    guard let callout = callouts[callout],
      let most = callout.functions.values.max(by: { ($0.ns, $1.frame.name) < ($1.ns, $0.frame.name) }),
      most.ns > 0
    else { return nil }
    return Held(frame: most.frame, heldNs: most.ns, calloutNs: callout.ns)
  }
}

extension StallResult {
  /// The functions that held the thread, with their times: the caller, else all blamed functions. Empty if the samples
  /// do not show them well enough.
  fileprivate var holders: [FunctionTime] {
    guard let holder else { return [] }
    return caller != nil ? [holder] : functions.map { ($0.frame, $0.ns) }
  }
}
