/// Where the names of a frame come from.
public enum FrameOrigin: String, Hashable, Sendable {
  /// DWARF line information: function, file and line, functions that were inlined.
  case lines
  /// A symbol table: the function only.
  case symbolTable = "symbol table"
  /// Nowhere.
  case nothing
}

/// One function that was active at an address.
public struct SymbolizedFrame: Hashable, Sendable {
  /// As a developer says it: `Model.work()`.
  public var function: String?
  /// Of Swift, with everything that tells overloads and private declarations apart.
  public var fullName: String?
  /// As the compiler named it.
  public var symbol: String?
  /// Only passes on to another function.
  public var isThunk = false
  /// Was inlined into the next frame, and has no call of its own.
  public var isInlined = false
  public var file: String?
  public var line: Int?
  public var column: Int?
  /// File name of the image; nil when the address is in none.
  public var image: String?
  /// In the file's own addresses, what `nm` and `addr2line` know; the address itself where there is no image.
  public var offset: UInt64
  public var origin = FrameOrigin.nothing
  /// Why there is less than function, file and line; nil when there is all.
  public var missing: MissingNames?

  /// `Model.work() Model.swift:41`, or as much of it as is known.
  public var text: String {
    let place = "\(image.map { $0 + "+" } ?? "")0x\(String(offset, radix: 16))"
    let name = file?.split(separator: "/").last
    return (function ?? place) + (name.map { file in " \(file)" + (line.map { ":\($0)" } ?? "") } ?? "")
  }
}

/// Why an address has no name, or a function no line.
public enum MissingNames: Error, Hashable, Sendable {
  /// The address lies in no image of the process.
  case noImage
  /// Nothing is where the image was, nor in the folders with symbols.
  case fileMissing
  /// What is there is of another build.
  case otherBuild
  /// What is there is no program that can be read.
  case fileUnreadable
  /// The file has neither lines nor symbols of its own functions.
  case stripped
  /// The file has symbols, none of which covers the address.
  case noSymbol
  /// The file has no line information.
  case noLines
  /// The file's line information says nothing about the address.
  case noLineHere
  /// No llvm-symbolizer was found.
  case noLineReader
  /// llvm-symbolizer could not be started, hung or ended over this file, or took too long in all.
  case lineReaderFailed

  public var text: String {
    switch self {
    case .noImage: "in no image of the process"
    case .fileMissing: "file not found"
    case .otherBuild: "the file is of another build"
    case .fileUnreadable: "the file cannot be read as a program"
    case .stripped: "stripped"
    case .noSymbol: "no symbol covers it"
    case .noLines: "built without debug information"
    case .noLineHere: "the compiler left no line for it"
    case .noLineReader: "no llvm-symbolizer was found"
    case .lineReaderFailed: "llvm-symbolizer failed"
    }
  }
}
