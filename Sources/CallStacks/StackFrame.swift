/// One call on a stack. What its origin does not tell is nil.
public struct StackFrame: Hashable, Sendable {
  /// The file name of the program or library that the code lies in.
  public var image: String?
  public var imagePath: String?
  /// Its build id or UUID, as it was written.
  public var imageID: String?
  /// As it was written: perhaps mangled, perhaps with underscores in front.
  public var symbol: String?
  /// What the symbol stands for in the source.
  public var demangled: String?
  public var file: String?
  public var line: Int?
  /// Bytes from the function's beginning.
  public var offset: UInt64?
  /// Bytes from the image's beginning.
  public var imageOffset: UInt64?
  public var address: UInt64?
  /// Its code stands in that of the next frame.
  public var isInlined = false
  /// The origin itself says that the frame is none of the app's.
  public var isMarkedSystem = false
  /// The program's own code, as far as somebody has looked: `StackJudge.isOwn`.
  public var isOwn = false

  public init(
    image: String? = nil, symbol: String? = nil, demangled: String? = nil, file: String? = nil,
    line: Int? = nil, offset: UInt64? = nil, address: UInt64? = nil
  ) {
    self.image = image
    self.symbol = symbol
    self.demangled = demangled
    self.file = file
    self.line = line
    self.offset = offset
    self.address = address
  }

  /// The function's name, nil where nobody knows it.
  public var function: String? { demangled ?? symbol }

  /// The function, else where its code lies, else `???`.
  public var name: String {
    if let function { return function }
    if let image, let imageOffset { return "\(image) + \(imageOffset)" }
    return address.map { "0x" + String($0, radix: 16) } ?? "???"
  }

  /// What was inlined and has no line is a library's: its code is in the program's image, and its source is not.
  var isInlinedFromLibrary: Bool { isInlined && line == nil }

  /// `file:line`, nil where nobody knows the file.
  public var place: String? { file.map { file in line.map { "\(file):\($0)" } ?? file } }

  /// What two frames of one function have in common, wherever in it they are.
  public var identity: Identity { Identity(image: image, name: name) }

  public struct Identity: Hashable, Sendable {
    public let image: String?
    public let name: String
  }
}
