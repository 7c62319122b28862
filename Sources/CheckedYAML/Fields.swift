import Yams

/// The keys of a mapping, each to be taken once.
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
        throw TextFileError(key, "'\(name)' is there twice")
      }
      keys[name] = key
    }
  }

  package mutating func take(_ key: String) -> Node? {
    known.append(key)
    return values.removeValue(forKey: key)
  }

  package mutating func required(_ key: String) throws(TextFileError) -> Node {
    guard let value = take(key) else { throw TextFileError(node, "\(what) needs '\(key)'") }
    return value
  }

  /// Nothing may be left.
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
    guard let number = int, abs(number) <= 1_000_000 else {
      throw TextFileError(self, "expected a whole number up to 1000000")
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
      throw TextFileError(self, "no \(what) '\(word)'; there is: \(words.joined(separator: ", "))")
    }
    return word
  }

  /// Nanoseconds of a time as "10ms".
  package func duration(atLeast: UInt64 = 0) throws(TextFileError) -> UInt64 {
    let word = try text()
    guard let ns = Duration.nanoseconds(word) else {
      throw TextFileError(
        self, "expected a time as 10ms, got '\(word)'; units: ns, us, ms, s, min; at most 24 hours")
    }
    guard ns >= atLeast else {
      throw TextFileError(self, "'\(word)' is too short; at least \(Duration.word(atLeast))")
    }
    return ns
  }
}

extension Node {
  /// A time, or two with dots between: 1ms..3ms.
  package func durationRange() throws(TextFileError) -> ClosedRange<UInt64> {
    let word = try text()
    guard let dots = word.range(of: "..") else {
      let ns = try duration()
      return ns...ns
    }
    guard let low = Duration.nanoseconds(String(word[..<dots.lowerBound])),
      let high = Duration.nanoseconds(String(word[dots.upperBound...])), low <= high
    else { throw TextFileError(self, "expected two times as 1ms..3ms, got '\(word)'") }
    return low...high
  }

  package func signedDuration() throws(TextFileError) -> Int64 {
    let word = try text()
    guard let ns = Duration.signedNanoseconds(word) else {
      throw TextFileError(self, "expected a time as 10ms or -10ms, got '\(word)'")
    }
    return ns
  }
}

/// Times in the text form.
package enum Duration {
  private static let units: [(suffix: String, ns: UInt64)] = [
    ("min", 60_000_000_000), ("ms", 1_000_000), ("us", 1000), ("ns", 1), ("s", 1_000_000_000),
  ]
  private static let limit = 86_400_000_000_000.0

  package static func nanoseconds(_ word: String) -> UInt64? {
    for unit in units where word.hasSuffix(unit.suffix) {
      guard let value = Double(word.dropLast(unit.suffix.count)), value >= 0 else { return nil }
      let ns = (value * Double(unit.ns)).rounded()
      return ns <= limit ? UInt64(ns) : nil
    }
    return nil
  }

  /// A time that may lie before now: "-5ms".
  package static func signedNanoseconds(_ word: String) -> Int64? {
    let isNegative = word.hasPrefix("-")
    return nanoseconds(isNegative ? String(word.dropFirst()) : word).map {
      isNegative ? -Int64($0) : Int64($0)
    }
  }

  package static func signedWord(_ ns: Int64) -> String { (ns < 0 ? "-" : "") + word(ns.magnitude) }

  /// The shortest exact form.
  package static func word(_ ns: UInt64) -> String {
    guard ns > 0 else { return "0s" }
    for unit in ["s", "ms", "us"] {
      let length = units.first { $0.suffix == unit }?.ns ?? 1
      if ns.isMultiple(of: length) { return "\(ns / length)\(unit)" }
    }
    return "\(ns)ns"
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
      let names = keys.sorted().map { "'\($0)'" }.joined(separator: ", ")
      self.init(line: context.mark.line, what: "keys that are there twice from here on: \(names)")
    case .reader(let problem, let offset, _, let yaml):
      let before = offset.map { yaml.utf8.prefix($0) }
      self.init(
        line: before.map { $0.count { $0 == UInt8(ascii: "\n") } + 1 } ?? 0, what: "not YAML: \(problem)")
    default:
      // Its first line: some errors quote the text.
      self.init(line: 0, what: "not YAML: \("\(error)".prefix { $0 != "\n" })")
    }
  }
}
