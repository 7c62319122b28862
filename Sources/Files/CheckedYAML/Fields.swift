import RunLoopVocabulary
import Yams

/// The keys of a mapping. Each may be taken once.
package struct Fields {
  private let node: Node
  private let what: String
  private var values: [String: Node] = [:]
  private var keys: [String: Node] = [:]
  private var known: [String] = []

  package init(_ node: Node, _ what: String) throws(TextFileError) {
    self.node = node
    self.what = what
    guard let mapping = node.mapping else {
      throw TextFileError(node, "expected \(what), as 'key: value' lines")
    }
    for (key, value) in mapping {
      let name = try key.text()
      guard values.updateValue(value, forKey: name) == nil else {
        throw TextFileError(key, "'\(name)' appears twice")
      }
      keys[name] = key
    }
  }

  /// Wraps a single value that is written in place of a mapping with only `key`.
  package init(_ value: Node, as key: String, _ what: String) {
    node = value
    self.what = what
    values = [key: value]
    keys = [key: value]
  }

  package mutating func take(_ key: String) -> Node? {
    known.append(key)
    return values.removeValue(forKey: key)
  }

  package mutating func required(_ key: String) throws(TextFileError) -> Node {
    guard let value = take(key) else { throw mistake("\(what) needs '\(key)'") }
    return value
  }

  /// Returns an error about the mapping as a whole.
  package func mistake(_ what: String) -> TextFileError { TextFileError(node, what) }

  /// Throws when any key was not taken.
  package func end() throws(TextFileError) {
    guard let name = values.keys.min(), let key = keys[name] else { return }
    throw TextFileError(key, "unknown key '\(name)' in \(what); known: \(known.joined(separator: ", "))")
  }
}

extension Node {
  package func text() throws(TextFileError) -> String {
    guard let text = scalar?.string else { throw TextFileError(self, "expected a word or a line of text") }
    return text
  }

  package func number() throws(TextFileError) -> Int {
    guard let number = int, abs(number) <= YAMLLimits.number else {
      throw TextFileError(self, "expected a whole number up to \(YAMLLimits.number)")
    }
    return number
  }

  package func truth() throws(TextFileError) -> Bool {
    guard let truth = bool else { throw TextFileError(self, "expected true or false") }
    return truth
  }

  package func oneOf(_ words: [String], _ what: String) throws(TextFileError) -> String {
    let word = try text()
    guard words.contains(word) else {
      throw TextFileError(self, "no \(what) '\(word)'; known: \(words.joined(separator: ", "))")
    }
    return word
  }

  /// The longest time. Longer ones are mistakes in a scenario or a profile, and sums of shorter ones do not overflow.
  private static var longestNs: UInt64 { 86_400_000_000_000 }

  /// Returns the nanoseconds of a time such as "10ms".
  package func duration(atLeast: UInt64 = 0) throws(TextFileError) -> UInt64 {
    let word = try text()
    let ns = try nanoseconds(of: word)
    guard ns >= atLeast else {
      throw TextFileError(self, "'\(word)' is too short; at least \(DurationText.word(atLeast))")
    }
    return ns
  }

  /// Returns the nanoseconds of a time whose unit must be stated.
  package func statedDuration(atLeast: UInt64 = 0) throws(TextFileError) -> UInt64 {
    let word = try text()
    do throws(DurationError) {
      _ = try DurationText.statedNanoseconds(word)
    } catch {
      throw TextFileError(self, error.what)
    }
    return try duration(atLeast: atLeast)
  }

  private func nanoseconds(of word: String) throws(TextFileError) -> UInt64 {
    let ns: UInt64
    do throws(DurationError) {
      ns = try DurationText.nanoseconds(word)
    } catch {
      throw TextFileError(self, error.what)
    }
    guard ns <= Self.longestNs else { throw TextFileError(self, "'\(word)' is too long; at most 24h") }
    return ns
  }
}

extension Node {
  /// Returns the range of one time, or of two with dots between: 1ms..3ms.
  package func durationRange() throws(TextFileError) -> ClosedRange<UInt64> {
    let word = try text()
    guard let dots = word.range(of: "..") else {
      let ns = try duration()
      return ns...ns
    }
    let low = try nanoseconds(of: String(word[..<dots.lowerBound]))
    let high = try nanoseconds(of: String(word[dots.upperBound...]))
    guard low <= high else { throw TextFileError(self, "expected the shorter time first, got '\(word)'") }
    return low...high
  }

  package func signedDuration() throws(TextFileError) -> Int64 {
    let word = try text()
    let isNegative = word.hasPrefix("-")
    let ns = Int64(try nanoseconds(of: isNegative ? String(word.dropFirst()) : word))
    return isNegative ? -ns : ns
  }
}

extension TextFileError {
  package init(_ node: Node, _ what: String) { self.init(line: node.mark?.line ?? 0, what: what) }

  package init(yaml error: any Error) {
    switch error as? YamlError {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      self.init(line: mark.line, what: "not YAML: \(problem)")
    case .duplicatedKeysInMapping(let keys, let context):
      let names = keys.ordered().map { "'\($0)'" }.joined(separator: ", ")
      self.init(line: context.mark.line, what: "duplicate keys from here on: \(names)")
    case .reader(let problem, let offset, _, let yaml):
      let before = offset.map { yaml.utf8.prefix($0) }
      self.init(
        line: before.map { $0.count { $0 == UInt8(ascii: "\n") } + 1 } ?? 0, what: "not YAML: \(problem)")
    default:
      // Only the first line, because some errors quote the text.
      self.init(line: 0, what: "not YAML: \("\(error)".prefix { $0 != "\n" })")
    }
  }
}
