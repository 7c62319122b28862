/// One call on a stack. What its origin does not tell is nil.
///
/// Copies share what they say until one of them is changed: stacks have most of their frames in common.
@dynamicMemberLookup
public struct StackFrame: Hashable, Sendable {
  public struct Parts: Hashable, Sendable {
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
    /// The origin itself says that the frame is none of the app's, or that it is one of them.
    public var isMarkedSystem = false
    public var isMarkedOwn = false
    /// The program's own code, as far as somebody has looked: `StackJudge.isOwn`.
    public var isOwn = false
  }

  /// Changed only by a frame that is its only one.
  private final class Shared: @unchecked Sendable {
    var parts: Parts
    init(_ parts: Parts) { self.parts = parts }
  }

  private var shared: Shared
  private var parts: Parts { shared.parts }

  public init(
    image: String? = nil, symbol: String? = nil, demangled: String? = nil, file: String? = nil,
    line: Int? = nil, offset: UInt64? = nil, address: UInt64? = nil
  ) {
    shared = Shared(
      Parts(
        image: image, symbol: symbol, demangled: demangled, file: file, line: line, offset: offset,
        address: address))
  }

  public subscript<Value>(dynamicMember part: WritableKeyPath<Parts, Value>) -> Value {
    get { shared.parts[keyPath: part] }
    set {
      if !isKnownUniquelyReferenced(&shared) { shared = Shared(parts) }
      shared.parts[keyPath: part] = newValue
    }
  }

  public static func == (a: StackFrame, b: StackFrame) -> Bool { a.shared === b.shared || a.parts == b.parts }

  public func hash(into hasher: inout Hasher) { parts.hash(into: &hasher) }

  /// The function's name, nil where nobody knows it.
  public var function: String? { parts.demangled ?? parts.symbol }

  /// The function, else where its code lies, else `???`.
  public var name: String {
    if let function { return function }
    if let image = parts.image ?? parts.imageID.map({ "<\($0)>" }), let imageOffset = parts.imageOffset {
      return "\(image) + \(imageOffset)"
    }
    return parts.address.map { "0x" + String($0, radix: 16) } ?? "???"
  }

  /// What was inlined and has no line is a library's: its code is in the program's image, and its source is not.
  package var isInlinedFromLibrary: Bool { parts.isInlined && parts.line == nil }

  /// `file:line`, nil where nobody knows the file.
  public var place: String? {
    parts.file.map { file in parts.line.map { "\(file):\($0)" } ?? file }
  }

  /// What two frames of one function have in common, wherever in it they are.
  public var identity: Identity { Identity(image: parts.image, name: name) }

  public struct Identity: Hashable, Sendable {
    public let image: String?
    public let name: String
  }
}
