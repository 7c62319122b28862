import TraceFormat

/// `part` is `share` of `whole` or more. In floating point: products of a damaged file's numbers overflow.
package func isAtLeast(_ part: UInt64, _ share: Double, of whole: UInt64) -> Bool {
  Double(part) >= share * Double(whole)
}

/// Pieces of sentences.
package enum Say {
  /// A number with its noun.
  package static func count(_ number: some BinaryInteger, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }

  /// The first few names, and how many others there are: the figure `others`.
  package static func list(
    _ names: [String], limit: Int, others: String, conjunction: String = "and"
  ) -> Sentence {
    let named = names.prefix(limit).map { name -> Sentence in "\(name: name)" }
    let left = UInt64(names.count - named.count)
    return (left > 0 ? named + ["\(count: left, others, "other", "others")"] : named).listed(conjunction)
  }

  /// A whole recording's, or of the part of it that was asked for.
  package static func end(_ analysis: Analysis) -> Sentence {
    analysis.trace.toNs >= analysis.trace.durationNs ? "the recording ended" : "the span ended"
  }

  package static func callout(_ kind: String, _ name: String) -> Sentence { "\(kind) \(name: name)" }

  package static func thread(_ thread: ThreadDefinition) -> Sentence {
    if let name = thread.mainName { return "\(name)" }
    return thread.name.isEmpty ? "\(count: UInt64(thread.index), "thread")" : "\(name: thread.name)"
  }

  /// Begins a sentence about what the thread serves.
  package static func loop(of thread: ThreadDefinition) -> Sentence {
    thread.isMainQueue ? "The main queue" : "The loop of thread \(Say.thread(thread))"
  }

  /// Behind what happened: "on thread main", "on the main queue".
  package static func on(_ thread: ThreadDefinition) -> Sentence {
    thread.isMainQueue ? "on the main queue" : "on thread \(Say.thread(thread))"
  }
}

extension Analysis {
  package func thread(_ index: UInt32) -> ThreadDefinition {
    trace.threads.first { $0.index == index }
      ?? ThreadDefinition(index: index, osThread: 0, isMain: false, name: "")
  }
}
