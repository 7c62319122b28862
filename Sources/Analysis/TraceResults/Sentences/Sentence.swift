/// A sentence that knows its numbers and names, so that its text and its evidence cannot differ.
package struct Sentence: Sendable, ExpressibleByStringInterpolation {
  package enum Part: Sendable {
    case words(String)
    case figure(Figure)
    /// A name as it is in the trace.
    case name(String)
  }

  package private(set) var parts: [Part] = []

  package init() {}
  package init(stringLiteral words: String) { parts = words.isEmpty ? [] : [.words(words)] }
  package init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ words: String) {
      if !words.isEmpty { parts.append(.words(words)) }
    }
    /// Appends fixed words that contain neither numbers nor text from the trace.
    package mutating func appendInterpolation(_ words: String) { appendLiteral(words) }
    package mutating func appendInterpolation(_ sentence: Sentence) { parts += sentence.parts }
    package mutating func appendInterpolation(_ figure: Figure) { parts.append(.figure(figure)) }
    package mutating func appendInterpolation(name: String) { parts.append(.name(name)) }
    package mutating func appendInterpolation(ns: UInt64, _ name: String) {
      parts.append(.figure(.ns(name, ns)))
    }
    /// Appends a moment in nanoseconds since the trace's origin.
    package mutating func appendInterpolation(moment: UInt64, _ name: String) {
      parts.append(.figure(Figure(name: name, value: .moment(moment))))
    }
    package mutating func appendInterpolation(count: UInt64, _ name: String) {
      parts.append(.figure(.count(name, count)))
    }
    /// Appends a count with its noun in singular or plural.
    package mutating func appendInterpolation(count: UInt64, _ name: String, _ one: String, _ many: String) {
      parts += [.figure(.count(name, count)), .words(count == 1 ? " \(one)" : " \(many)")]
    }
    package mutating func appendInterpolation(percent part: UInt64, of whole: UInt64, _ name: String) {
      parts.append(.figure(.percent(name, part, of: whole)))
    }
  }

  package var isEmpty: Bool { parts.isEmpty }

  package var figures: [Figure] {
    parts.compactMap { if case .figure(let figure) = $0 { figure } else { nil } }
  }
  package var names: [String] { parts.compactMap { if case .name(let name) = $0 { name } else { nil } } }

  /// Returns the text of the sentence. `shown` converts each name from the trace for display.
  package func text(_ shown: (String) -> String = Sentence.written) -> String {
    parts.map {
      switch $0 {
      case .words(let words): words
      case .figure(let figure): figure.text
      case .name(let name): "\"\(shown(name))\""
      }
    }.joined()
  }

  /// The longest name, in characters, that a sentence shows in full.
  package static let nameLimit = 200

  /// Makes a name from a file safe for a sentence: it contains no line breaks and is cut to `nameLimit`.
  package static func written(_ name: String) -> String { elided(name, limit: nameLimit) }
}

extension [Sentence] {
  /// Joins the sentences as in "a, b and c".
  package func listed(_ conjunction: String = "and") -> Sentence {
    enumerated().reduce(Sentence()) { sum, item in
      let separator = item.offset == 0 ? "" : item.offset == count - 1 ? " \(conjunction) " : ", "
      return "\(sum)\(separator)\(item.element)"
    }
  }
}
