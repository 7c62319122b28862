/// The answer of llvm-symbolizer about one address: a line of JSON,
/// `{"Address":"0x10","ModuleName":"…","Symbol":[{"FunctionName":"…","FileName":"…","Line":3,"Column":9,…}]}`.
struct LineAnswer: Equatable {
  struct Frame: Equatable {
    var function = ""
    var file = ""
    var line = 0
    var column = 0
    /// The place of the function's declaration. `startFile` is empty for copies of library code.
    var startFile = ""
    var startLine = 0

    /// Whether the frame comes from line information. Symbol tables name files too, but no lines. Compiler-generated
    /// code has line 0.
    var hasLines: Bool { line > 0 || startLine > 0 }

    /// Swift's name for the file of code that is in no file.
    private static let noFile = "<compiler-generated>"

    /// The source file; nil = the code belongs to none. Code that the compiler added to a function belongs to the file
    /// that declares the function.
    var sourceFile: String? {
      let name = file.has(Self.noFile) ? startFile : file
      return name.isEmpty || name.has(Self.noFile) ? nil : name
    }
  }

  var address: UInt64?
  /// Innermost first; all but the last were inlined into the next. Empty for an error.
  var frames: [Frame] = []

  /// Parses an answer; nil for any other line.
  init?(_ line: ArraySlice<UInt8>) {
    var json = JSONCursor(line, depth: SymbolLimits.answerDepth)
    guard json.take("{") else { return nil }
    var isFirst = true
    while !json.take("}") {
      guard isFirst || json.take(","), let key = json.string(), json.take(":") else { return nil }
      isFirst = false
      switch key {
      case "Address":
        guard let text = json.string() else { return nil }
        address = text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : nil
      case "Symbol":
        guard readFrames(&json) else { return nil }
      default:
        guard json.skipValue() else { return nil }
      }
    }
    guard json.isAtEnd else { return nil }
  }

  private mutating func readFrames(_ json: inout JSONCursor) -> Bool {
    guard json.take("[") else { return false }
    if json.take("]") { return true }
    repeat {
      guard json.take("{") else { return false }
      var frame = Frame()
      var isFirst = true
      while !json.take("}") {
        guard isFirst || json.take(","), let key = json.string(), json.take(":") else { return false }
        isFirst = false
        switch key {
        case "FunctionName": frame.function = json.string() ?? ""
        case "FileName": frame.file = json.string() ?? ""
        case "Line": frame.line = json.number() ?? 0
        case "StartFileName": frame.startFile = json.string() ?? ""
        case "StartLine": frame.startLine = json.number() ?? 0
        case "Column": frame.column = json.number() ?? 0
        default: guard json.skipValue() else { return false }
        }
      }
      guard frames.count < SymbolLimits.answerFrames else { return false }
      frames.append(frame)
    } while json.take(",")
    return json.take("]")
  }
}

/// Reads JSON of a known shape without recursion. Refuses values nested deeper than `depth`.
struct JSONCursor {
  private let bytes: ArraySlice<UInt8>
  private var at: Int
  private let depth: Int

  init(_ bytes: ArraySlice<UInt8>, depth: Int) {
    self.bytes = bytes
    at = bytes.startIndex
    self.depth = depth
  }

  private var next: UInt8? { at < bytes.endIndex ? bytes[at] : nil }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { at += 1 }
  }

  var isAtEnd: Bool {
    var rest = self
    rest.skipSpace()
    return rest.next == nil
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard let byte = next, UInt32(byte) == character.value else { return false }
    at += 1
    return true
  }

  /// Takes a whole number. Returns nil and takes nothing when something else follows.
  mutating func number() -> Int? {
    skipSpace()
    let digits = bytes[at...].prefix { 0x30...0x39 ~= $0 }
    guard !digits.isEmpty, digits.count <= 18 else { return nil }
    at = digits.endIndex
    return digits.reduce(0) { $0 * 10 + Int($1 & 0xF) }
  }

  /// Takes a string; nil when none follows, or when it is not closed.
  mutating func string() -> String? {
    guard take("\"") else { return nil }
    var text: [UInt8] = []
    while let byte = next {
      at += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = escape() else { return nil }
        text += escaped
      default: text.append(byte)
      }
    }
    return nil
  }

  private mutating func escape() -> [UInt8]? {
    guard let byte = next else { return nil }
    at += 1
    switch byte {
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "u"):
      guard let unit = codeUnit() else { return nil }
      guard unit & 0xFC00 == 0xD800 else { return utf8(UInt32(unit)) }
      guard next == UInt8(ascii: "\\"), at + 1 < bytes.endIndex, bytes[at + 1] == UInt8(ascii: "u") else {
        return utf8(0xFFFD)
      }
      at += 2
      guard let low = codeUnit() else { return nil }
      return utf8(
        low & 0xFC00 == 0xDC00 ? 0x10000 + UInt32(unit & 0x3FF) << 10 + UInt32(low & 0x3FF) : 0xFFFD)
    default: return [byte]
    }
  }

  private func utf8(_ scalar: UInt32) -> [UInt8] { Array(String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8) }

  private mutating func codeUnit() -> UInt16? {
    let digits = bytes[at...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { return nil }
    at += 4
    return unit
  }

  /// Skips the next value, up to the comma or bracket after it.
  mutating func skipValue() -> Bool {
    var open: [UInt8] = []
    repeat {
      skipSpace()
      guard let byte = next else { return false }
      switch byte {
      case UInt8(ascii: "\""):
        guard string() != nil else { return false }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard open.count < depth else { return false }
        // The codes of both closing brackets are 2 above those of the opening ones.
        open.append(byte + 2)
        at += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard open.popLast() == byte else { return false }
        at += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        guard !open.isEmpty else { return false }
        at += 1
      default:
        let word = bytes[at...].prefix { byte in !",:]}[{\" \t\r\n".utf8.contains(byte) }
        guard !word.isEmpty else { return false }
        at = word.endIndex
      }
    } while !open.isEmpty
    return true
  }
}
