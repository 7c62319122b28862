import TraceFormat

/// Returns whether `part` is `share` of `whole` or more. Computed in floating point, because products of a damaged
/// file's numbers may overflow.
package func isAtLeast(_ part: UInt64, _ share: Double, of whole: UInt64) -> Bool {
  Double(part) >= share * Double(whole)
}

/// Parts of sentences.
package enum Phrase {
  /// Returns a number with its noun.
  package static func count(_ number: some BinaryInteger, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }

  /// Lists the first few names and the number of the others, which is the figure `others`.
  package static func list(
    _ names: [String], limit: Int, others: String, conjunction: String = "and"
  ) -> Sentence {
    let named = names.prefix(limit).map { name -> Sentence in "\(name: name)" }
    let left = UInt64(clamping: names.count - named.count)
    return (left > 0 ? named + ["\(count: left, others, "other", "others")"] : named).listed(conjunction)
  }

  /// Returns the words for the end of the whole recording, or of the part that the user chose.
  package static func end(_ analysis: Analysis) -> Sentence {
    analysis.trace.toNs >= analysis.trace.durationNs ? "the recording ended" : "the span ended"
  }

  package static func callout(_ kind: String, _ name: String) -> Sentence { "\(kind) \(name: name)" }

  package static func thread(_ thread: ThreadDefinition) -> Sentence {
    if let name = thread.mainName { return "\(name)" }
    return thread.name.isEmpty ? "\(count: UInt64(thread.index), "thread")" : "\(name: thread.name)"
  }

  /// Returns the beginning of a sentence about a thread's loop or the main queue.
  package static func loop(of thread: ThreadDefinition) -> Sentence {
    thread.isMainQueue ? "The main queue" : "The loop of thread \(Phrase.thread(thread))"
  }

  /// Returns the end of a sentence about an event: "on thread main", "on the main queue".
  package static func on(_ thread: ThreadDefinition) -> Sentence {
    thread.isMainQueue ? "on the main queue" : "on thread \(Phrase.thread(thread))"
  }
}

extension Analysis {
  package func thread(_ index: UInt32) -> ThreadDefinition {
    trace.threads.first { $0.index == index }
      ?? ThreadDefinition(index: index, osThread: 0, isMain: false, name: "")
  }
}
