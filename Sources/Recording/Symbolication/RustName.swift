import SystemSupport

/// Demangles symbols of Rust: `std::sync::mutex::Mutex::lock`. Leaves out the arguments in angle brackets after a name.
///
/// The compiler's manual describes the format of `_R…`, "v0". Earlier compilers write C++ names with a hash at the end.
struct RustName {
  private enum Failure: Error { case malformed }

  private static let deepest = 100
  private static let longest = 2048

  private let bytes: [UInt8]
  private var at = 0
  private var depth = 0
  private var text = ""
  /// More than zero: inside parts that are left out.
  private var omitting = 0

  /// Returns the name of a symbol of the format v0; nil for others.
  static func demangled(_ symbol: String) -> String? {
    guard let start = ["_R", "__R"].first(where: { symbol.hasPrefix($0) }) else { return nil }
    // The compiler appends what follows a point: `.llvm.1234`.
    let bytes = symbol.utf8.dropFirst(start.utf8.count).prefix { $0 != UInt8(ascii: ".") }
    var name = RustName(bytes: Array(bytes))
    do throws(Failure) { try name.path() } catch { return nil }
    return name.text.isEmpty ? nil : name.text
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  // MARK: Characters

  private mutating func next() throws(Failure) -> Character {
    guard at < bytes.count else { throw .malformed }
    at += 1
    return Character(UnicodeScalar(bytes[at - 1]))
  }

  private mutating func take(_ character: Character) -> Bool {
    guard at < bytes.count, Character(UnicodeScalar(bytes[at])) == character else { return false }
    at += 1
    return true
  }

  private mutating func write(_ part: String) throws(Failure) {
    guard omitting == 0 else { return }
    text += part
    if text.utf8.count > Self.longest { throw .malformed }
  }

  private mutating func enter() throws(Failure) {
    depth += 1
    if depth > Self.deepest { throw .malformed }
  }

  /// A number in base 62 that ends with `_`, modulo 2⁶⁴. Those of crates are hashes.
  @discardableResult private mutating func number() throws(Failure) -> UInt64 {
    if take("_") { return 0 }
    var value: UInt64 = 0
    while true {
      let character = try next()
      if character == "_" { return value &+ 1 }
      let first: UInt64
      switch character {
      case "0"..."9": first = 48
      case "a"..."z": first = 87
      case "A"..."Z": first = 29
      default: throw .malformed
      }
      value = value &* 62 &+ UInt64(character.asciiValue ?? 0) &- first
    }
  }

  /// The number of a part among those of the same name, from 0.
  @discardableResult private mutating func ordinal() throws(Failure) -> UInt64 {
    take("s") ? try number() &+ 1 : 0
  }

  @discardableResult private mutating func identifier() throws(Failure) -> String {
    _ = take("u")
    var count = 0
    // A number does not begin with 0, so other digits follow the number 0.
    if !take("0") {
      while at < bytes.count, (0x30...0x39).contains(bytes[at]), count < bytes.count {
        count = count * 10 + Int(bytes[at] & 0xF)
        at += 1
      }
    }
    _ = take("_")
    guard count <= bytes.count - at else { throw .malformed }
    at += count
    return String(decoding: bytes[at - count..<at], as: UTF8.self)
  }

  /// Goes to the part further ahead that a `B` refers to. Returns where to go on; nil if it is left out.
  private mutating func goBack() throws(Failure) -> Int? {
    let start = at - 1, place = try number()
    guard place < start else { throw .malformed }
    guard omitting == 0 else { return nil }
    defer { at = Int(place) }
    return at
  }

  // MARK: Paths and types

  private mutating func path() throws(Failure) {
    try enter()
    switch try next() {
    case "C":
      try ordinal()
      try write(identifier())
    case "M":
      try implementation()
      try type()
    case "X":
      try implementation()
      try conformance()
    case "Y": try conformance()
    case "N":
      let space = try next()
      try path()
      let number = try ordinal(), name = try identifier()
      switch space {
      case "C": try write("::{closure#\(number)}")
      case "A"..."Z": try write("::{\(name.isEmpty ? String(space) : name)#\(number)}")
      default: try write(name.isEmpty ? "" : "::\(name)")
      }
    case "I":
      try path()
      omitting += 1
      while !take("E") { try argument() }
      omitting -= 1
    case "B":
      if let end = try goBack() {
        try path()
        at = end
      }
    default: throw .malformed
    }
    depth -= 1
  }

  /// The place of an implementation.
  private mutating func implementation() throws(Failure) {
    try ordinal()
    omitting += 1
    try path()
    omitting -= 1
  }

  private mutating func conformance() throws(Failure) {
    try write("<")
    try type()
    try write(" as ")
    try path()
    try write(">")
  }

  private mutating func argument() throws(Failure) {
    if take("L") {
      try number()
    } else if take("K") {
      try constant()
    } else {
      try type()
    }
  }

  private static let basicTypes: [Character: String] = [
    "a": "i8", "b": "bool", "c": "char", "d": "f64", "e": "str", "f": "f32", "h": "u8", "i": "isize",
    "j": "usize", "l": "i32", "m": "u32", "n": "i128", "o": "u128", "p": "_", "s": "i16", "t": "u16",
    "u": "()", "v": "...", "x": "i64", "y": "u64", "z": "!",
  ]
  private static let pointers: [Character: String] = ["R": "&", "Q": "&mut ", "P": "*const ", "O": "*mut "]

  private mutating func type() throws(Failure) {
    try enter()
    let character = try next()
    switch character {
    case "R", "Q", "P", "O":
      if take("L") { try number() }
      try write(Self.pointers[character] ?? "")
      try type()
    case "A", "S":
      try write("[")
      try type()
      if character == "A" { try constant() }
      try write("]")
    case "T":
      try write("(")
      try list(separator: ", ") { name throws(Failure) in try name.type() }
      try write(")")
    case "F":
      try write("fn")
      omitting += 1
      if take("G") { try number() }
      _ = take("U")
      if take("K"), !take("C") { try identifier() }
      while !take("E") { try type() }
      try type()
      omitting -= 1
    case "D":
      try write("dyn ")
      if take("G") { try number() }
      try list(separator: " + ") { name throws(Failure) in try name.bound() }
      if take("L") { try number() }
    case "B":
      if let end = try goBack() {
        try type()
        at = end
      }
    default:
      if let name = Self.basicTypes[character] {
        try write(name)
      } else {
        at -= 1
        try path()
      }
    }
    depth -= 1
  }

  private mutating func list(
    separator: String, _ element: (inout RustName) throws(Failure) -> Void
  ) throws(Failure) {
    var isFirst = true
    while !take("E") {
      if !isFirst { try write(separator) }
      isFirst = false
      try element(&self)
    }
  }

  private mutating func bound() throws(Failure) {
    try path()
    omitting += 1
    while take("p") {
      try identifier()
      try type()
    }
    omitting -= 1
  }

  /// A constant, which is always left out: a number, a text, or values inside values.
  private mutating func constant() throws(Failure) {
    try enter()
    omitting += 1
    switch try next() {
    case "p": break
    case "B": try number()
    case "R", "Q": try constant()
    case "A", "T":
      while !take("E") { try constant() }
    case "V":
      try path()
      let isStruct = take("S")
      if !isStruct, !take("T") {
        guard take("U") else { throw .malformed }
        break
      }
      while !take("E") {
        if isStruct {
          try ordinal()
          try identifier()
        }
        try constant()
      }
    default:
      while try next() != "_" {}
    }
    omitting -= 1
    depth -= 1
  }

  // MARK: Earlier compilers

  private static let hashCharacters = 16
  private static let escapes = [
    ("::_$", "::$"), ("$LT$", "<"), ("$GT$", ">"), ("$LP$", "("), ("$RP$", ")"), ("$RF$", "&"), ("$BP$", "*"),
    ("$SP$", "@"), ("$C$", ","), ("$u20$", " "), ("$u27$", "'"), ("$u2b$", "+"), ("$u3b$", ";"),
    ("$u3d$", "="), ("$u5b$", "["), ("$u5d$", "]"), ("$u7b$", "{"), ("$u7d$", "}"), ("$u7e$", "~"),
    ("..", "::"),
  ]

  /// Returns a demangled C++ name as Rust's name, without the hash; nil if it has none.
  static func plain(_ name: String) -> String? {
    let end = name.utf8.suffix(hashCharacters + 3)
    guard end.starts(with: "::h".utf8),
      end.dropFirst(3).allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    var text = String(decoding: name.utf8.dropLast(hashCharacters + 3), as: UTF8.self)
    for (escape, character) in escapes { text = text.with(character, for: escape) }
    return text.hasPrefix("_<") ? String(text.dropFirst()) : text
  }
}
