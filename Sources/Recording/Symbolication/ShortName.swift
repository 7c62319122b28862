import SystemSupport

/// A function name as developers write it: `closure #1 in Model.start(_:)`.
///
/// The runtime's demangler gives all details (modules, types, attributes). This keeps what distinguishes functions.
package struct ShortName: Hashable, Sendable {
  package let text: String
  /// For Swift, the name with everything that distinguishes overloads and private declarations, but without the parts
  /// and copies that the compiler makes of one function.
  package let full: String?
  /// Whether the symbol is a thunk that forwards to the function in its context, and does not name any code of the
  /// program.
  package let isThunk: Bool

  private static let symbolBytes = 1 << 16
  private static let longest = 300
  /// Words before the declaration itself.
  private static let prefixes = [
    "partial apply forwarder for ", "merged ", "@objc ", "@nonobjc ", "dispatch thunk of ",
    "vtable thunk for ",
    "static ", "override ", "outlined copy of ", "curry thunk of ", "async function pointer to ",
    "protocol witness for ",
  ]
  /// Words for the parts of an async function, after the part's number.
  private static let resumeParts = [
    "await resume partial function for ", "suspend resume partial function for ",
  ]
  /// Prefixes that name types in angle brackets, followed by ` of ` and the declaration.
  private static let specializations = [
    "generic specialization <", "generic not re-abstracted specialization <",
    "generic partial specialization <",
    "function signature specialization <", "specialized <",
  ]

  package init(symbol: String) {
    guard symbol.utf8.count <= ShortName.symbolBytes, let demangled = ShortName.demangled(symbol) else {
      text = ShortName.shortened(
        RustName.demangled(symbol) ?? ShortName.cxxName(symbol)
          ?? String(symbol.prefix(ShortName.longest + 1)))
      full = nil
      isThunk = false
      return
    }
    let stripped = ShortName.stripped(demangled)
    full = String(stripped)
    isThunk = stripped.hasPrefix("reabstraction thunk")
    text = isThunk ? "reabstraction thunk" : ShortName.shortened(ShortName.simplified(stripped))
  }

  private static func shortened(_ text: String) -> String {
    text.count <= longest ? text : text.prefix(longest - 1) + "…"
  }

  private static func demangled(_ symbol: String) -> String? {
    guard symbol.hasPrefix("$s") || symbol.hasPrefix("$S") || symbol.hasPrefix("_$s") else { return nil }
    var symbol = symbol
    return symbol.withUTF8 { bytes in
      guard let result = unsafe demangle(bytes.baseAddress, bytes.count, nil, nil, 0) else { return nil }
      defer { unsafe free(result) }
      return unsafe String(cString: result)
    }
  }

  /// Demangles a C++ function, a block in one, or a function of Rust with such a name.
  private static func cxxName(_ symbol: String) -> String? {
    guard symbol.utf8.count <= symbolBytes, let start = symbol.place(of: "_Z") else { return nil }
    var name = symbol[start.lowerBound...]
    guard symbol[..<start.lowerBound].allSatisfy({ $0 == "_" }) else { return nil }
    let block = name.place(of: "_block_invoke")
    if let end = block ?? name.place(of: ".llvm.") { name = name[..<end.lowerBound] }
    guard block != nil || start.lowerBound == symbol.startIndex,
      let result = unsafe cxxDemangle(String(name), nil, nil, nil)
    else { return nil }
    defer { unsafe free(result) }
    let text = unsafe String(cString: result)
    return block == nil ? RustName.plain(text) ?? text : "block in \(text)"
  }

  /// Removes what the compiler put before a declaration: its copies, parts and forwarders.
  private static func stripped(_ full: String) -> Substring {
    var text = Substring(full)
    if let suffix = text.place(of: " with unmangled suffix ") { text = text[..<suffix.lowerBound] }
    var isStripping = true
    while isStripping {
      isStripping = false
      for prefix in prefixes where text.hasPrefix(prefix) {
        text = text.dropFirst(prefix.count)
        isStripping = true
      }
      for prefix in specializations where text.hasPrefix(prefix) {
        // Continues after the bracket that matches the prefix's own. With propagated closures, one bracket is never
        // closed.
        let rest = text.dropFirst(prefix.count)
        let matching = Nesting.closing(rest).flatMap { rest[$0...].place(of: " of ") }
        guard let of = matching ?? rest.place(of: "> of ") else { break }
        text = rest[of.upperBound...]
        isStripping = true
      }
      // `(2) await resume partial function for …`
      let unnumbered = text.drop { "(0123456789) ".contains($0) }
      for part in resumeParts where unnumbered.hasPrefix(part) {
        text = unnumbered.dropFirst(part.count)
        isStripping = true
      }
    }
    return text
  }

  private static func simplified(_ text: Substring) -> String {
    var parts = Nesting.split(text, at: " in ")
    // `protocol witness for A in conformance B : C in M` names A.
    if let conformance = parts.firstIndex(where: { $0.hasPrefix("conformance ") }) {
      parts.removeSubrange(conformance...)
    }
    return parts.map(component).joined(separator: " in ")
  }

  /// Simplifies one declaration, or `closure #1 …`.
  private static func component(_ text: Substring) -> String {
    for word in ["implicit closure #", "closure #", "default argument "] {
      if let range = text.place(of: word),
        text[..<range.lowerBound].allSatisfy({ $0 == "@" || $0.isLetter || $0 == " " })
      {
        let number = text[range.upperBound...].prefix { $0.isNumber }
        return word + number
      }
    }
    var text = text
    if text.hasPrefix("("), let close = text.place(of: "):"), text.hasPrefix("(extension in ") {
      text = text[close.upperBound...]
    }
    for prefix in prefixes where text.hasPrefix(prefix) { text = text.dropFirst(prefix.count) }
    text = Nesting.split(text, at: " : ").first ?? text
    text = Nesting.split(text, at: " -> ").first ?? text
    return path(text)
  }

  /// Simplifies `names.Model.start<A>(Swift.Int, by: B) throws` to `Model.start(_:by:)`.
  private static func path(_ text: Substring) -> String {
    var name = "", labels: String? = nil
    var rest = text
    while let first = rest.first {
      switch first {
      case "<":
        guard let close = Nesting.closing(rest.dropFirst()) else { return String(text) }
        rest = rest[rest.index(after: close)...]
      case "(":
        guard let close = Nesting.closing(rest.dropFirst()) else { return String(text) }
        let inside = rest[rest.index(after: rest.startIndex)..<close]
        rest = rest[rest.index(after: close)...]
        // A private name: `(secret in _0123ABC)`.
        if let hidden = inside.place(of: " in _"),
          rest.hasPrefix(".") || rest.hasPrefix("(") || rest.hasPrefix("<")
        {
          name += inside[..<hidden.lowerBound]
        } else {
          labels = parameterLabels(inside)
        }
      case "@":
        // Attributes of the function's type: `tick@Sendable (Timer)`.
        rest = rest.drop { $0 != " " && $0 != "(" }.drop { $0 == " " }
      case " ":
        rest = ""
      default:
        name.append(first)
        rest = rest.dropFirst()
      }
    }
    let pieces = name.split(separator: ".", omittingEmptySubsequences: false)
    let short = pieces.count == 1 ? name : pieces.dropFirst().joined(separator: ".")
    return short.with("init", for: "__allocating_init").with("deinit", for: "__deallocating_deinit")
      + (labels ?? "")
  }

  private static func parameterLabels(_ inside: Substring) -> String {
    guard !inside.isEmpty else { return "()" }
    let labels = Nesting.split(inside, at: ", ").map { parameter in
      let parts = Nesting.split(parameter, at: ": ")
      return parts.count > 1 ? "\(parts[0]):" : "_:"
    }
    return "(" + labels.joined() + ")"
  }
}

/// Brackets in demangled text. The arrow `->` is not a bracket.
private enum Nesting {
  /// Returns the position of the bracket that closes the one opened before `text`.
  static func closing(_ text: Substring) -> Substring.Index? {
    var depth = 0
    var previous: Character = " "
    for index in text.indices {
      switch text[index] {
      case "(", "[", "<": depth += 1
      case ")", "]":
        if depth == 0 { return index }
        depth -= 1
      case ">" where previous != "-":
        if depth == 0 { return index }
        depth -= 1
      default: break
      }
      previous = text[index]
    }
    return nil
  }

  /// Splits at separators outside all brackets.
  static func split(_ text: Substring, at separator: String) -> [Substring] {
    var parts: [Substring] = []
    var start = text.startIndex, depth = 0
    var previous: Character = " "
    var index = text.startIndex
    while index < text.endIndex {
      let character = text[index]
      if depth == 0, text[index...].hasPrefix(separator) {
        parts.append(text[start..<index])
        index = text.index(index, offsetBy: separator.count)
        start = index
        previous = " "
        continue
      }
      if character == "(" || character == "[" || character == "<" { depth += 1 }
      if character == ")" || character == "]" || (character == ">" && previous != "-") {
        depth = max(0, depth - 1)
      }
      previous = character
      index = text.index(after: index)
    }
    parts.append(text[start...])
    return parts
  }
}

@_silgen_name("swift_demangle")
private func demangle(
  _ name: UnsafePointer<UInt8>?, _ length: Int, _ buffer: UnsafeMutablePointer<CChar>?,
  _ size: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

@_silgen_name("__cxa_demangle")
private func cxxDemangle(
  _ name: UnsafePointer<CChar>?, _ buffer: UnsafeMutablePointer<CChar>?, _ size: UnsafeMutablePointer<Int>?,
  _ status: UnsafeMutablePointer<Int32>?
) -> UnsafeMutablePointer<CChar>?
