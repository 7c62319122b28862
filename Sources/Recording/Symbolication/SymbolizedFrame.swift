/// The origin of a frame's names.
package enum FrameOrigin: String, Hashable, Sendable {
  /// DWARF line information: function, file and line, including inlined functions.
  case lines
  /// A symbol table: the function only.
  case symbolTable = "symbol table"
  /// The frame has no names.
  case nothing
}

/// One function that was active at an address.
package struct SymbolizedFrame: Hashable, Sendable {
  /// The name as developers write it: `Model.work()`.
  package var function: String?
  /// For Swift, the name with everything that distinguishes overloads and private declarations.
  package var fullName: String?
  /// The name that the compiler gave it.
  package var symbol: String?
  /// Whether the function only forwards to another one.
  package var isThunk = false
  /// Whether the function was inlined into the next frame, so that it has no call of its own.
  package var isInlined = false
  package var file: String?
  package var line: Int?
  package var column: Int?
  /// The file name of the image; nil when no image contains the address.
  package var image: String?
  /// The address within the file, as `nm` and `addr2line` use it; the address itself if there is no image.
  package var offset: UInt64
  package var origin = FrameOrigin.nothing
  /// The reason why function, file or line is missing; nil when there is none.
  package var missing: MissingNames?

  /// `Model.work() Model.swift:41`, or the known part of it.
  package var text: String {
    let place = "\(image.map { $0 + "+" } ?? "")0x\(String(offset, radix: 16))"
    let name = file?.split(separator: "/").last
    return (function ?? place) + (name.map { file in " \(file)" + (line.map { ":\($0)" } ?? "") } ?? "")
  }
}

/// A reason why an address has no name, or a function no line.
package enum MissingNames: Error, Hashable, Sendable {
  /// No image of the process contains the address.
  case noImage
  /// There is no file at the image's path, nor in the folders with symbols.
  case fileMissing
  /// The file found belongs to another build.
  case otherBuild
  /// The file found is not a program that can be read.
  case fileUnreadable
  /// The file has neither lines nor symbols of its own functions.
  case stripped
  /// The file has symbols, but none covers the address.
  case noSymbol
  /// The file has no line information.
  case noLines
  /// The file's line information says nothing about the address.
  case noLineHere
  /// No llvm-symbolizer was found.
  case noLineReader
  /// llvm-symbolizer could not be started, it hung or exited on this file, or its time is used up.
  case lineReaderFailed

  package var text: String {
    switch self {
    case .noImage: "in no image of the process"
    case .fileMissing: "file not found"
    case .otherBuild: "the file is from another build"
    case .fileUnreadable: "the file cannot be read as a program"
    case .stripped: "stripped"
    case .noSymbol: "no symbol covers it"
    case .noLines: "built without debug information"
    case .noLineHere: "the compiler recorded no line for it"
    case .noLineReader: "no llvm-symbolizer was found"
    case .lineReaderFailed: "llvm-symbolizer failed"
    }
  }
}
