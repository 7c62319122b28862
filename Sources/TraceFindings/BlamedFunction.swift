import TraceResults

extension Analysis {
  /// Returns the longest stall in callouts of this kind and name whose function is known. O(stalls).
  func stall(in callout: String?) -> StallResult? {
    stalls.filter { $0.callout == callout && $0.blamed != nil && $0.functionConfidence >= .medium }
      .max { $0.durationNs < $1.durationNs }
  }
}

extension StallResult {
  /// The remedy of the cause; nil if no rule gives one.
  var advice: Sentence? { remedy.map { "\($0)" } }

  /// The blamed function as a further sentence. Empty if no function is known.
  var blame: Sentence { explanation.map { ". \($0)" } ?? "" }

  /// The blamed function, such as: "Box.locked() main.swift:6" held the thread for 405 ms: waiting for a lock. Nil if
  /// no function is known.
  package var explanation: Sentence? {
    guard let place else {
      // The callout belongs to the program, but the function that it called is in a library.
      return entry.map { entry in
        "The thread spent \(ns: blamedNs, "blamed_ns") in \(name: entry): \(causeSentence)\(heldBy)"
      }
    }
    let because: Sentence = cause == .unknown && !isShared ? "" : ": \(causeSentence)"
    return "\(name: place) held the thread for \(ns: blamedNs, "blamed_ns")\(because)\(heldBy)"
  }
}
