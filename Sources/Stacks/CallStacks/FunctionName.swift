/// Function names in the form in which rules compare them.
enum FunctionName {
  /// glibc exports its functions under several names.
  private static let prefixes = ["GI_", "libc_"].map { Array($0.utf8) }
  private static let suffixes = ["_nocancel", "$NOCANCEL"].map { Array($0.utf8) }

  /// Removes leading underscores, glibc's prefixes, and versions (`@@GLIBC_2.17`).
  static func plain(_ name: String) -> Substring {
    var rest = name.utf8[...]
    var isStripping = true
    while isStripping {
      rest = rest.drop { $0 == UInt8(ascii: "_") }
      let prefix = prefixes.first { rest.starts(with: $0) }
      rest = rest.dropFirst(prefix?.count ?? 0)
      isStripping = prefix != nil
    }
    if let version = rest.firstIndex(of: UInt8(ascii: "@")), version > rest.startIndex {
      rest = rest[..<version]
    }
    for suffix in suffixes where rest.suffix(suffix.count).elementsEqual(suffix) {
      rest = rest.dropLast(suffix.count)
    }
    return Substring(rest)
  }
}

/// A frame with its names in the form in which rules compare them.
struct ComparedFrame {
  let frame: StackFrame
  let symbol: Substring?
  let demangled: Substring?

  init(_ frame: StackFrame) {
    self.frame = frame
    symbol = frame.symbol.map(FunctionName.plain)
    demangled = frame.demangled.map(FunctionName.plain)
  }

  var function: Substring? { demangled ?? symbol }
}

/// A pattern in which `*` matches any text, including none.
struct Glob: Sendable, Hashable {
  private let pattern: [UInt8]

  /// A pattern for file names.
  init(_ pattern: String) { self.pattern = Array(pattern.utf8) }

  /// A pattern for function names.
  init(function: String) { self.init(String(FunctionName.plain(function))) }

  /// Returns whether the name matches. Takes at most O(name × pattern) time, without recursion.
  fileprivate func matches(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    let star = UInt8(ascii: "*")
    var at = 0
    var next = 0
    var retry: (at: Int, next: Int)?
    while at < name.count {
      if next < pattern.count, pattern[next] == star {
        retry = (at, next + 1)
        next += 1
      } else if next < pattern.count, pattern[next] == name[at] {
        at += 1
        next += 1
      } else if let (from, behind) = retry {
        retry = (from + 1, behind)
        at = from + 1
        next = behind
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == star }
  }
}

extension [Glob] {
  func anyMatches(_ name: some StringProtocol) -> Bool {
    guard !isEmpty else { return false }
    return name.utf8.withContiguousStorageIfAvailable { bytes in contains { $0.matches(bytes) } }
      ?? [UInt8](name.utf8).withUnsafeBufferPointer { bytes in contains { $0.matches(bytes) } }
  }
}
