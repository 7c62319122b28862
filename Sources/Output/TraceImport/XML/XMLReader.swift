import Foundation

/// Reads an XML document piece by piece. Memory does not grow with the document.
///
/// Entities are not expanded: a document with a DOCTYPE or an entity reference is refused. The library limits the depth
/// of elements to 256 and the length of a text to 10 MB.
final class XMLReader {
  enum Node: Equatable {
    /// `isEmpty`: no `.end` follows.
    case start(isEmpty: Bool)
    case end
    case text
    case documentEnd
  }

  /// The input, and the error that the library reports meanwhile. The library holds its address.
  private final class Input {
    let read: (UnsafeMutableRawBufferPointer) -> Int
    var failure: String?
    init(_ read: @escaping (UnsafeMutableRawBufferPointer) -> Int) { self.read = read }
  }

  private let library: XMLLibrary
  private let reader: XMLLibrary.Reader
  private let input: Input

  /// Opens a document. `read` fills the buffer and returns the number of bytes, 0 at the end, or -1 after an error.
  init(read: @escaping (UnsafeMutableRawBufferPointer) -> Int) throws(ImportError) {
    guard let library = XMLLibrary.shared else { throw .missingLibrary }
    input = Input(read)
    let context = Unmanaged.passUnretained(input).toOpaque()
    let opened = library.open(
      { context, bytes, count in
        guard let context, let bytes else { return -1 }
        let input = Unmanaged<Input>.fromOpaque(context).takeUnretainedValue()
        return Int32(input.read(UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))))
      }, nil, context, nil, nil, XMLLibrary.options)
    guard let opened else { throw .document(line: 0, column: 0, what: "cannot be opened as XML") }
    (self.library, reader) = (library, opened)
    library.setReport(
      reader,
      { context, message, severity, _ in
        guard let context, let message, !XMLLibrary.warnings.contains(severity) else { return }
        let input = Unmanaged<Input>.fromOpaque(context).takeUnretainedValue()
        // The first error causes the others.
        if input.failure == nil {
          input.failure = String(cString: message).trimmingCharacters(in: .whitespacesAndNewlines)
        }
      }, context)
  }

  deinit { library.free(reader) }

  /// Moves to the next start or end of an element, or to text. Skips comments and instructions.
  func next() throws(ImportError) -> Node {
    while true {
      guard library.read(reader) == 1 else {
        if let failure = input.failure { throw error(failure) }
        return .documentEnd
      }
      switch library.nodeType(reader) {
      case 1: return .start(isEmpty: library.isEmpty(reader) == 1)
      case 15: return .end
      case 3, 4: return .text
      case 5, 6: throw error("entities are refused")
      case 10: throw error("a document type (DOCTYPE) is refused")
      default: continue
      }
    }
  }

  /// The name of the element, as an address that is equal for equal names, and as text.
  var nameAddress: UnsafePointer<UInt8>? { library.name(reader) }
  var name: String { library.name(reader).map { String(cString: $0) } ?? "" }

  /// The current text. Valid until the next step.
  var bytes: UnsafePointer<UInt8>? { library.value(reader) }

  /// Calls `body` with the name and value of each attribute of the element.
  func forEachAttribute(_ body: (UnsafePointer<UInt8>, UnsafePointer<UInt8>) -> Void) {
    while library.nextAttribute(reader) == 1 {
      if let name = library.name(reader), let value = library.value(reader) { body(name, value) }
    }
    _ = library.backToElement(reader)
  }

  /// Returns an error at the current position.
  func error(_ what: String) -> ImportError {
    .document(line: Int(library.line(reader)), column: Int(library.column(reader)), what: what)
  }
}
