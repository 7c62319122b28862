import CallStacks
import TraceResults

extension Analysis {
  /// Returns the longest stall in callouts of this kind and name whose function is known. O(stalls).
  func stall(in callout: String?) -> StallResult? {
    stalls.filter { $0.callout == callout && $0.holder != nil }
      .max { $0.durationNs < $1.durationNs }
  }

  /// Returns the stall to name for a span, if its samples show what held the thread.
  func explainedStall(of span: some LongSpan) -> StallResult? {
    stall(of: span).flatMap { $0.isExplained ? $0 : nil }
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
    // The function that ran the loop did not call the callout.
    let outer = CallStack.insideLoop(stack.drop { $0.identity != frame.identity })
    let caller = outer.first { $0.isOwn && $0.line != nil && $0.identity != frame.identity }
    return [Finding.Place(role, frame)] + (caller.map { [Finding.Place(.caller, $0)] } ?? [])
  }

  /// The blamed function as a further sentence. Empty if no function is known. `calloutNs`: the time of the callout
  /// that the sentence before it names.
  func blame(within calloutNs: UInt64? = nil) -> Sentence {
    explanation(within: calloutNs).map { ". \($0)" } ?? ""
  }

  package var explanation: Sentence? { explanation(within: nil) }

  /// The blamed function, such as: "Box.locked() main.swift:6" held the thread for 405 ms: waiting for a lock. Nil if
  /// no function is known.
  private func explanation(within calloutNs: UInt64?) -> Sentence? {
    let because: Sentence = cause == .unknown && !isShared ? "" : ": \(causeSentence)"
    guard let holder = holder ?? blamed.map({ ($0, blamedNs) }) else {
      if isRunTimeCode {
        return
          "The thread spent \(ns: blamedNs, "blamed_ns") in a function that is not known, because its code was made at run time\(because)\(heldBy)"
      }
      // The callout belongs to the program, but the function that it called is in a library.
      return entry.map { entry in
        "The thread spent \(ns: blamedNs, "blamed_ns") in \(name: entry): \(causeSentence)\(heldBy)"
      }
    }
    var ns = holder.ns
    var elsewhere: Sentence = ""
    if let calloutNs, ns > calloutNs {
      // A sample stands for the time until the next one, which may begin behind the callout.
      if isAtLeast(calloutNs, 0.9, of: ns) {
        ns = calloutNs
      } else {
        elsewhere = ", partly outside that callout"
      }
    }
    return
      "\(name: holder.frame.sourcePlace) held the thread for \(ns: ns, "blamed_ns")\(elsewhere)\(because)\(processor)\(parts)\(heldBy)\(others)"
  }

  /// The thread's share of a processor as a further sentence, if it had none for much of the time in which it could
  /// have run.
  private var processor: Sentence { processorLack?.sentence ?? "" }

  /// The other functions that held the thread for a considerable time, each with its own cause, as further sentences.
  private var others: Sentence {
    guard caller == nil else { return "" }
    let all = functions.map(\.ns).saturatedSum
    let named = functions.dropFirst().prefix(Self.partsNamed - 1).filter {
      isAtLeast($0.ns, FindingLimits.muchOfBlocked, of: all)
    }
    let text = named.enumerated().reduce("" as Sentence) { text, part in
      "\(text). \(name: part.element.frame.sourcePlace) held it for \(ns: part.element.ns, "next_blamed_\(part.offset + 1)_ns")\(cause(of: part.element, ": "))"
    }
    return "\(text)\(withoutFunction)"
  }

  /// The samples without a function of the program as a further sentence, if they represent a considerable time. A
  /// function whose last action is a call is not on the stack during that call.
  private var withoutFunction: Sentence {
    guard !functions.isEmpty else { return "" }
    let named = functions.flatMap(\.causes)
    let rest = causes.map { cause, ns in
      (cause: cause, ns: ns - min(ns, named.filter { $0.cause == cause }.map(\.ns).saturatedSum))
    }
    guard let most = rest.filter({ $0.cause != .unknown }).max(by: { $0.ns < $1.ns }), most.ns > 0,
      isAtLeast(most.ns, FindingLimits.muchOfBlocked, of: causes.map(\.ns).saturatedSum)
    else { return "" }
    return
      ". For another \(ns: most.ns, "without_function_ns"), no named function of the program was on the stack: \(most.cause.words)"
  }

  /// The cause of a function if it is known, behind `before`.
  private func cause(of part: BlamedTime, _ before: String) -> Sentence {
    guard let cause = part.causes.first?.cause, cause != .unknown else { return "" }
    return "\(before)\(cause.words)"
  }

  /// The functions that took the most time among those that the caller called, as a further sentence. Empty if one
  /// function took most of the time.
  private var parts: Sentence {
    guard let caller else { return "" }
    let gap = caller.ns
    let named = functions.prefix(Self.partsNamed).enumerated().filter { number, part in
      number == 0 || isAtLeast(part.ns, FindingLimits.muchOfBlocked, of: gap)
    }
    let isOfSeveralCauses = Set(named.map { $0.element.causes.first?.cause }).count > 1
    let parts = named.map { number, part -> Sentence in
      let time: Sentence = "\(ns: part.ns, "part_\(number + 1)_ns")"
      let because = isOfSeveralCauses ? cause(of: part, ", ") : ""
      return part.frame.identity == caller.frame.identity
        ? "\(time) in its own code\(because)" : "\(time) in \(name: part.frame.sourcePlace)\(because)"
    }
    return ". It spent \(parts.listed())"
  }

  private static let partsNamed = 3
}
