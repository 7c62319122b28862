import RunLoopVocabulary

/// Reads changes in the language of `--do`.
package enum ChangeParser {
  /// The forms of a change, for help and messages.
  package static let forms: [(form: String, meaning: String)] = [
    ("nothing", "only replay the trace"),
    (
      "timer NAME in MODE",
      "the timer is added to MODE instead; 'common' = the common modes, 'default' = the default mode"
    ),
    ("timer NAME also in MODE", "the timer is added to MODE as well"),
    ("block NAME in MODE", "the block is queued for MODE instead"),
    ("timer NAME every 50ms", "the timer has this interval"),
    ("tolerance NAME 10ms", "the timer has this tolerance"),
    ("callout NAME takes 2ms", "each callout takes this long, apart from runs inside it"),
    ("callout NAME takes at most 8ms", "longer callouts are cut to this length"),
    ("callout NAME takes x 0.5", "the time of each callout is multiplied by this factor"),
    ("callout NAME off the loop [hop 50us]", "another thread does the work; the callout only hands it over"),
    ("split NAME at 8ms", "the work is done in parts of at most this length, as blocks of the loop"),
    ("remove NAME", "the timer, source, observer or block does not exist"),
    ("source NAME at most 60 per second", "signals that come too soon are delayed and merged"),
  ]

  /// Reads one change. Throws with a message that shows the forms.
  package static func read(_ text: String) throws(WhatIfError) -> Change {
    let words = Words(text)
    if words.list == ["nothing"] { return Change(text: text, target: nil, effect: .nothing) }
    guard let verb = words.list.first else { throw .usage("an empty change; \(expectation)") }
    switch verb {
    case "split":
      let (name, rest) = try words.name(before: ["at"])
      return try change(text, .callout, name, .split(ns: positive(rest, text)))
    case "remove":
      let (kind, name) = words.kindAndName(from: 1)
      return try change(text, kind, name, .removed)
    case "tolerance":
      guard words.list.count >= 3, let last = words.list.last else { throw malformed(text) }
      return try change(
        text, .timer, words.joined(1..<(words.list.count - 1)), .tolerance(ns: duration(last, text)))
    default: break
    }
    guard let kind = Change.Target.Kind(rawValue: verb) else { throw malformed(text) }
    if let (name, rest) = words.split(at: ["off", "the", "loop"]) {
      var hop = Change.standardHopNs
      if let first = rest.first {
        guard first == "hop", rest.count > 1 else { throw malformed(text) }
        hop = try duration(rest.dropFirst().joined(separator: " "), text)
      }
      return try change(text, kind, name, .offTheLoop(hopNs: hop))
    }
    if let (name, rest) = words.split(at: ["takes", "at", "most"]) {
      return try change(text, kind, name, .length(.atMost(ns: duration(rest.joined(separator: " "), text))))
    }
    if let (name, rest) = words.split(at: ["takes"]) {
      return try change(text, kind, name, .length(length(rest, text)))
    }
    if kind == .source, let (name, rest) = words.split(at: ["at", "most"]) {
      return try change(text, kind, name, .coalesced(periodNs: period(rest, text)))
    }
    if kind == .block, let (name, rest) = words.split(at: ["in"]), !rest.isEmpty {
      return try change(text, kind, name, .mode(mode(rest)))
    }
    guard kind == .timer else { throw malformed(text) }
    if let (name, rest) = words.split(at: ["every"]) {
      return try change(text, kind, name, .interval(ns: positive(rest.joined(separator: " "), text)))
    }
    if let (name, rest) = words.split(at: ["also", "in"]), !rest.isEmpty {
      return try change(text, kind, name, .anotherMode(mode(rest)))
    }
    if let (name, rest) = words.split(at: ["in"]), !rest.isEmpty {
      return try change(text, kind, name, .mode(mode(rest)))
    }
    throw malformed(text)
  }

  private static func change(
    _ text: String, _ kind: Change.Target.Kind, _ name: String, _ effect: Change.Effect
  ) throws(WhatIfError) -> Change {
    guard !name.isEmpty else { throw malformed(text) }
    return Change(text: text, target: Change.Target(kind: kind, name: name), effect: effect)
  }

  private static func mode(_ words: [String]) -> String {
    switch words {
    case ["common"]: ModeName.common
    case ["default"]: ModeName.default
    default: words.joined(separator: " ")
    }
  }

  private static func length(_ words: [String], _ text: String) throws(WhatIfError) -> Change.Length {
    let rest = words.joined(separator: " ")
    if let sign = rest.first, ["×", "x", "*"].contains(sign) {
      let number = rest.dropFirst().drop { $0 == " " }
      guard let factor = Double(number), factor.isFinite, factor >= 0,
        factor <= Double(WhatIfLimits.whatIfFactor)
      else {
        throw .usage("'\(text)': expected a factor from 0 to \(WhatIfLimits.whatIfFactor) after '\(sign)'")
      }
      return .times(factor)
    }
    return .exactly(ns: try duration(rest, text))
  }

  private static func period(_ words: [String], _ text: String) throws(WhatIfError) -> UInt64 {
    guard words.count == 3, words[1...] == ["per", "second"], let count = Double(words[0]), count.isFinite,
      count > 0, count <= 1_000_000
    else {
      throw .usage("'\(text)': expected a rate such as '60 per second'")
    }
    return UInt64(clamping: (1e9 / count).rounded())
  }

  private static func duration(_ text: String, _ whole: String) throws(WhatIfError) -> UInt64 {
    do { return try DurationText.nanoseconds(text) } catch { throw .usage("'\(whole)': \(error.what)") }
  }

  private static func positive(_ text: String, _ whole: String) throws(WhatIfError) -> UInt64 {
    let ns = try duration(text, whole)
    guard ns > 0 else { throw .usage("'\(whole)': the time must be longer than 0") }
    return ns
  }

  private static var expectation: String {
    "changes are: " + forms.map { "'\($0.form)'" }.joined(separator: ", ")
  }

  private static func malformed(_ text: String) -> WhatIfError {
    .usage("cannot read '\(text)'; \(expectation)")
  }
}

/// The words of a change. A name in double quotes is one word.
private struct Words {
  var list: [String] = []

  init(_ text: String) {
    var word = "", isQuoted = false, wasQuoted = false
    for character in text {
      switch character {
      case "\"":
        isQuoted.toggle()
        wasQuoted = true
      case " " where !isQuoted, "\t" where !isQuoted:
        if !word.isEmpty || wasQuoted { list.append(word) }
        (word, wasQuoted) = ("", false)
      default: word.append(character)
      }
    }
    if !word.isEmpty || wasQuoted { list.append(word) }
  }

  func joined(_ range: Range<Int>) -> String { list[range].joined(separator: " ") }

  /// Splits at the last occurrence of the words `key`: returns the name before them, and the words after them.
  func split(at key: [String]) -> (name: String, rest: [String])? {
    guard list.count >= key.count + 2 else { return nil }
    for at in stride(from: list.count - key.count, through: 2, by: -1)
    where Array(list[at..<(at + key.count)]) == key {
      return (joined(1..<at), Array(list[(at + key.count)...]))
    }
    return nil
  }

  func name(before key: [String]) throws(WhatIfError) -> (name: String, rest: String) {
    guard let (name, rest) = split(at: key) else {
      throw .usage("cannot read '\(list.joined(separator: " "))'; expected 'split NAME at 8ms'")
    }
    return (name, rest.joined(separator: " "))
  }

  /// Reads a name that may follow the kind of its item.
  func kindAndName(from start: Int) -> (kind: Change.Target.Kind, name: String) {
    if list.count > start + 1, let kind = Change.Target.Kind(rawValue: list[start]) {
      return (kind, joined((start + 1)..<list.count))
    }
    return (.callout, joined(min(start, list.count)..<list.count))
  }
}
