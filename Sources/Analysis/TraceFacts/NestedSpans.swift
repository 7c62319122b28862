/// The open spans of one thread. Turns beginnings and ends into spans that nest strictly, even where events were lost.
///
/// `Value` is what the caller keeps for each open span. Each call takes O(closed spans), or O(open spans) where events
/// were lost.
@usableFromInline package struct NestedSpans<Value> {
  @usableFromInline var open: [(what: SpanBegin.What, value: Value)] = []

  @inlinable
  package init() {}

  /// The number of open spans.
  @inlinable package var count: Int { open.count }

  /// The values of the open spans, the outermost first.
  @inlinable
  package subscript(place: Int) -> Value {
    get { open[place].value }
    set { open[place].value = newValue }
  }

  @inlinable
  package mutating func begin(_ what: SpanBegin.What, _ value: Value) { open.append((what, value)) }

  /// Ends the pass of the innermost run. Calls `close` for each span that ends, the innermost first. `isIts` is true
  /// only for the last of them, the pass itself. Does nothing if no such span is open. The other functions that end a
  /// span work the same way.
  @inlinable
  package mutating func endPass(_ close: (Value, _ isIts: Bool) -> Void) { end({ $0 == .pass }, close) }

  @inlinable
  package mutating func endWait(_ close: (Value, _ isIts: Bool) -> Void) { end({ $0 == .wait }, close) }

  @inlinable
  package mutating func end(_ run: RunFact, _ close: (Value, _ isIts: Bool) -> Void) {
    let place = open.lastIndex { if case .run(_, run.depth) = $0.what { true } else { false } }
    if let place { end(at: place, close) }
  }

  @inlinable
  package mutating func end(_ callout: CalloutFact, _ close: (Value, _ isIts: Bool) -> Void) {
    let place = open.lastIndex {
      if case .callout(callout.kind, callout.object, _, callout.depth) = $0.what { true } else { false }
    }
    if let place { end(at: place, close) }
  }

  /// Ends all open spans.
  @inlinable
  package mutating func endAll(_ close: (Value, _ isIts: Bool) -> Void) { end(at: 0, close) }

  /// Ends the innermost span that matches, if it belongs to the innermost run.
  @inlinable
  mutating func end(_ matches: (SpanBegin.What) -> Bool, _ close: (Value, _ isIts: Bool) -> Void) {
    for place in open.indices.reversed() {
      if matches(open[place].what) { return end(at: place, close) }
      if case .run = open[place].what { return }
    }
  }

  @inlinable
  mutating func end(at place: Int, _ close: (Value, _ isIts: Bool) -> Void) {
    while open.count > place {
      let last = open.removeLast()
      close(last.value, open.count == place)
    }
  }
}
