/// One call on a stack. Parts that its origin does not state are nil.
///
/// Copies share their parts until one of them is changed, because stacks have most of their frames in common.
@dynamicMemberLookup
public struct StackFrame: Hashable, Sendable {
  public struct Parts: Hashable, Sendable {
    /// The file name of the program or library that contains the code.
    public var image: String?
    public var imagePath: String?
    /// The image's build id or UUID, as written.
    public var imageID: String?
    /// The symbol as written, possibly mangled or with leading underscores.
    public var symbol: String?
    /// The symbol's name in the source.
    public var demangled: String?
    public var file: String?
    public var line: Int?
    /// The number of bytes from the function's start.
    public var offset: UInt64?
    /// The number of bytes from the image's start.
    public var imageOffset: UInt64?
    public var address: UInt64?
    /// Whether its code was inlined into that of the next frame.
    public var isInlined = false
    /// Whether the origin itself states that the frame is not the app's, or that it is.
    public var isMarkedSystem = false
    public var isMarkedOwn = false
    /// Whether this is the program's own code, once determined by `StackJudge.isOwn`.
    public var isOwn = false
  }

  /// Changed only while a single frame refers to it.
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

  /// The function's name; nil = not known.
  public var function: String? { parts.demangled ?? parts.symbol }

  /// The function, else the place of its code, else `???`.
  public var name: String {
    if let function { return function }
    if let image = parts.image ?? parts.imageID.map({ "<\($0)>" }), let imageOffset = parts.imageOffset {
      return "\(image) + \(imageOffset)"
    }
    return parts.address.map { "0x" + String($0, radix: 16) } ?? "???"
  }

  /// Whether the frame belongs to a library although its code is in the program's image. Inlined code without a line
  /// does, because its source is not the program's.
  package var isInlinedFromLibrary: Bool { parts.isInlined && parts.line == nil }

  /// Whether the frame belongs to the library that records a program.
  public var isRecorders: Bool { parts.image?.hasPrefix("librltrace-preload") ?? false }

  /// `file:line`; nil when the file is not known.
  public var place: String? {
    parts.file.map { file in parts.line.map { "\(file):\($0)" } ?? file }
  }

  /// The part that all frames of one function share, regardless of their position in it.
  public var identity: Identity { Identity(image: parts.image, name: name) }

  public struct Identity: Hashable, Sendable {
    public let image: String?
    public let name: String
  }
}
