import SystemSupport
import TraceFormat

/// The place of an address in the code.
package struct CodeLocation: Hashable, Sendable {
  package var module: String
  /// The address within the file, as `nm` and `addr2line` use it.
  package var offset: UInt64
  /// The function's short name; nil when no symbol covers the address.
  package var function: String?
  /// For Swift, the name with what distinguishes it from others of the same short name in its module.
  package var fullName: String?
  /// Whether the function only forwards to another one.
  package var isThunk: Bool
  /// The start of the function, in the same addresses as `offset`.
  package var start: UInt64?
  package var isStart: Bool { start == offset }

  /// The name, or module and offset if there is none.
  package var text: String { function ?? place }
  package var place: String { "\(module)+0x\(String(offset, radix: 16))" }
}

/// Caches the symbol tables of files and the readable names of their symbols, for all processes that map the files.
/// Thread-safe.
package final class SymbolCache: Sendable {
  private struct File: Hashable {
    var path: String
    var buildID: [UInt8]
  }

  private struct State {
    var tables: [File: SymbolTable] = [:]
    /// The recorded program may not be trustworthy.
    let demangler = BoundedDemangler()
  }

  private let state = Locked(State())

  package init() {}

  func function(
    of image: MappedImage, at address: UInt64
  ) -> (name: BoundedDemangler.Name, start: UInt64)? {
    state.withLock { state in
      let file = File(path: image.path, buildID: image.buildID)
      let table = state.tables[file] ?? SymbolTable(image)
      state.tables[file] = table
      return table.function(at: address).map { (state.demangler.name(of: $0.symbol), $0.start) }
    }
  }
}

/// Names code addresses of another process from the symbol tables of its images. One thread at a time.
///
/// An image's file is opened when one of its addresses is first looked up. A file with another build id is not used.
package final class Symbolizer {
  private var images: [MappedImage] = []
  private let symbols: SymbolCache
  private var known: [UInt64: CodeLocation] = [:]

  /// `symbols`: a cache that several symbolizers share.
  package init(_ symbols: SymbolCache = SymbolCache()) { self.symbols = symbols }

  package func add(_ image: MappedImage) {
    images.append(image)
    // A library may have replaced another one.
    known = [:]
  }

  /// Returns the place of `address`; nil when no image contains it. A return address follows its call. With
  /// `isReturnAddress`, the function is the caller even if the call is its last instruction.
  package func location(of address: UInt64, isReturnAddress: Bool = false) -> CodeLocation? {
    let key = isReturnAddress ? ~address : address
    if let location = known[key] { return location }
    guard let image = images.last(where: { $0.range.contains(address) }) else { return nil }
    let offset = address &- image.bias
    let found = symbols.function(of: image, at: isReturnAddress ? offset &- 1 : offset)
    let location = CodeLocation(
      module: image.name, offset: offset, function: found?.name.short, fullName: found?.name.full,
      isThunk: found?.name.isThunk ?? false, start: found?.start)
    known[key] = location
    return location
  }
}

/// The functions of an image, sorted by address.
final class SymbolTable {
  private struct Function {
    var start: UInt64
    var end: UInt64
    var name: Int
  }

  private var functions: [Function] = []
  private var strings: [UInt8] = []

  convenience init(_ image: MappedImage) {
    let file = try? ELFFile(path: image.path)
    let buildID = file?.buildID ?? []
    let isSame = image.buildID.isEmpty || buildID.isEmpty || buildID.starts(with: image.buildID)
    self.init(isSame ? file : nil)
  }

  init(_ file: ELFFile?) {
    guard let (symbols, strings) = try? file?.symbols() else { return }
    self.strings = strings
    functions = symbols.filter { $0.isFunction && $0.isDefined && $0.value != 0 }.map {
      Function(start: $0.value, end: $0.value &+ max($0.size, 1), name: $0.name)
    }
    functions.sort { ($0.start, $0.end) < ($1.start, $1.end) }
  }

  /// Returns the symbol and start of the function that covers an address.
  func function(at address: UInt64) -> (symbol: String, start: UInt64)? {
    let next = functions.firstPlace { $0.start > address }
    guard next > 0, address < functions[next - 1].end else { return nil }
    let function = functions[next - 1]
    return strings.text(at: function.name).map { ($0, function.start) }
  }

  /// Returns where the functions with these symbols begin. O(functions).
  func starts(of symbols: Set<String>) -> [String: UInt64] {
    let lengths = Set(symbols.map(\.utf8.count))
    var found: [String: UInt64] = [:]
    for function in functions where found.count < symbols.count {
      // Compare the lengths first: those of nearly all names differ.
      let isPossible = lengths.contains { length in
        let end = function.name + length
        return function.name >= 0 && end < strings.count && strings[end] == 0
      }
      guard isPossible, let name = strings.text(at: function.name), symbols.contains(name) else { continue }
      found[name] = function.start
    }
    return found
  }
}
