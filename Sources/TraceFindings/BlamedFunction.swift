import CallStacks
import TraceResults

extension Analysis {
  /// Returns the longest stall in callouts of this kind and name whose function is known. O(stalls).
  func stall(in callout: String?) -> StallResult? {
    stalls.filter { $0.callout == callout && $0.holder != nil }
      .max { $0.durationNs < $1.durationNs }
  }
}

extension Finding {
  /// Names the function that held the thread in a stall, with its places in the code. Names the callout if the
  /// function is not known.
  mutating func blame(_ stall: StallResult?, orCallout callout: String? = nil) {
    blocker = stall?.holder?.frame.sourcePlace ?? callout ?? ""
    sampled = stall?.sampledPlaces ?? []
  }
}

extension StallResult {
  /// The code that held what the thread waited for, then the code that waited or worked, each with its caller.
  var sampledPlaces: [Finding.Place] {
    guard let holder else { return [] }
    let held = owner?.blamed.map { places(.holder, $0, in: owner?.stack ?? []) } ?? []
    return held + places(.function, holder.frame, in: caller == nil ? stack : [])
  }

  /// A function of a stack, and the program's function that called it.
  private func places(
    _ role: Finding.Place.Role, _ frame: StackFrame, in stack: [StackFrame]
  ) -> [Finding.Place] {
    let outer = stack.drop { $0.identity != frame.identity }
    let caller = outer.first { $0.isOwn && $0.line != nil && $0.identity != frame.identity }
    return [Finding.Place(role, frame)] + (caller.map { [Finding.Place(.caller, $0)] } ?? [])
  }

  /// The blamed function as a further sentence. Empty if no function is known.
  var blame: Sentence { explanation.map { ". \($0)" } ?? "" }

  /// The blamed function, such as: "Box.locked() main.swift:6" held the thread for 405 ms: waiting for a lock. Nil if
  /// no function is known.
  package var explanation: Sentence? {
    guard let holder = holder ?? blamed.map({ ($0, blamedNs) }) else {
      // The callout belongs to the program, but the function that it called is in a library.
      return entry.map { entry in
        "The thread spent \(ns: blamedNs, "blamed_ns") in \(name: entry): \(causeSentence)\(heldBy)"
      }
    }
    let because: Sentence = cause == .unknown && !isShared ? "" : ": \(causeSentence)"
    return
      "\(name: holder.frame.sourcePlace) held the thread for \(ns: holder.ns, "blamed_ns")\(because)\(parts)\(heldBy)"
  }

  /// The functions that took the most time among those that the caller called, as a further sentence. Empty if one
  /// function took most of the time.
  private var parts: Sentence {
    guard caller != nil, let gap = caller?.ns else { return "" }
    let named = functions.prefix(Self.partsNamed).enumerated().filter { number, part in
      number == 0 || isAtLeast(part.ns, FindingLimits.muchOfBlocked, of: gap)
    }
    let parts = named.map { number, part -> Sentence in
      "\(ns: part.ns, "part_\(number + 1)_ns") in \(name: part.frame.sourcePlace)"
    }
    return ". It spent \(parts.listed())"
  }

  private static let partsNamed = 3
}
