/// One call on a stack. Parts that its origin does not state are nil.
///
/// Copies share their parts until one of them is changed, because stacks have most of their frames in common.
@dynamicMemberLookup
package struct StackFrame: Hashable, Sendable {
  package struct Parts: Hashable, Sendable {
    /// The file name of the program or library that contains the code.
    package var image: String?
    package var imagePath: String?
    /// The image's build id or UUID, as written.
    package var imageID: String?
    /// The symbol as written, possibly mangled or with leading underscores.
    package var symbol: String?
    /// The symbol's name in the source.
    package var demangled: String?
    package var file: String?
    package var line: Int?
    /// The number of bytes from the function's start.
    package var offset: UInt64?
    /// The number of bytes from the image's start.
    package var imageOffset: UInt64?
    package var address: UInt64?
    /// Whether its code was inlined into that of the next frame.
    package var isInlined = false
    /// Whether the origin itself states that the frame is not the app's, or that it is.
    package var isMarkedSystem = false
    package var isMarkedOwn = false
    /// Whether its code is in no image of the process, because the program made it at run time.
    package var isRunTimeCode = false
    /// Whether the origin left out frames next to this one.
    package var isAtGap = false
    /// Whether this is the program's own code, once determined by `StackJudge.isOwn`.
    package var isOwn = false
  }

  /// Changed only while a single frame refers to it.
  private final class Shared: @unchecked Sendable {
    var parts: Parts
    init(_ parts: Parts) { self.parts = parts }
  }

  private var shared: Shared
  private var parts: Parts { shared.parts }

  package init(
    image: String? = nil, symbol: String? = nil, demangled: String? = nil, file: String? = nil,
    line: Int? = nil, offset: UInt64? = nil, address: UInt64? = nil
  ) {
    shared = Shared(
      Parts(
        image: image, symbol: symbol, demangled: demangled, file: file, line: line, offset: offset,
        address: address))
  }

  package subscript<Value>(dynamicMember part: WritableKeyPath<Parts, Value>) -> Value {
    get { shared.parts[keyPath: part] }
    set {
      if !isKnownUniquelyReferenced(&shared) { shared = Shared(parts) }
      shared.parts[keyPath: part] = newValue
    }
  }

  package static func == (a: StackFrame, b: StackFrame) -> Bool {
    a.shared === b.shared || a.parts == b.parts
  }

  package func hash(into hasher: inout Hasher) { parts.hash(into: &hasher) }

  /// The function's name; nil = not known.
  package var function: String? { parts.demangled ?? parts.symbol }

  /// The name of a function whose code was made at run time.
  package static let runTimeCode = "code made at run time"

  /// The function, else the place of its code, else `???`.
  package var name: String {
    if let function { return function }
    if parts.isRunTimeCode { return Self.runTimeCode }
    if let image = parts.image ?? parts.imageID.map({ "<\($0)>" }), let imageOffset = parts.imageOffset {
      return "\(image) + \(imageOffset)"
    }
    return parts.address.map { "0x" + String($0, radix: 16) } ?? "???"
  }

  /// Whether nothing is known that could name the code: `name` is `???`.
  package var isNameless: Bool {
    function == nil && parts.address == nil && parts.imageOffset == nil && !parts.isRunTimeCode
  }

  /// Whether threads and programs start in this function, so that a stack ends there.
  package var startsThread: Bool {
    function.map { Self.starts.contains(String(FunctionName.plain($0))) } ?? false
  }

  private static let starts: Set<String> = [
    "main", "start", "start_main", "start_call_main", "start_main_impl", "start_thread", "thread_start",
    "pthread_start", "start_wqthread", "clone", "clone3",
  ]

  /// Whether the frame belongs to a library although its code is in the program's image. Inlined code without a line
  /// does, because its source is not the program's.
  package var isInlinedFromLibrary: Bool { parts.isInlined && parts.line == nil }

  /// Whether the frame belongs to the library that records a program.
  package var isRecorders: Bool { parts.image?.hasPrefix("librltrace-preload") ?? false }

  /// `file:line`; nil when the file is not known.
  package var place: String? {
    parts.file.map { file in parts.line.map { "\(file):\($0)" } ?? file }
  }

  /// The part that all frames of one function share, regardless of their position in it.
  package var identity: Identity { Identity(image: parts.image, name: name) }

  package struct Identity: Hashable, Sendable {
    package let image: String?
    package let name: String
  }
}
