import TraceResults

extension LimitStack {
  /// The activity of the thread at the limit, as the end of a sentence; empty if no function of the program is known.
  var sentence: Sentence {
    guard let place = blamed?.sourcePlace else { return "" }
    let by: Sentence = cause == .unknown ? "" : " (\(cause.words))"
    return ". At the limit the thread was in \(name: place)\(by)"
  }
}
