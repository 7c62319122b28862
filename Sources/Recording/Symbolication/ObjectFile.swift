import SystemSupport
import TraceFormat

/// A file with names for the code of an image: the image itself, or symbols and lines that were split off it.
final class ObjectFile {
  let path: String
  /// The name of the file in questions to llvm-symbolizer.
  let reference: String
  /// The build id, or the UUID of a Mach-O file; empty when there is none.
  let buildID: [UInt8]
  /// The address of the first segment according to the file.
  let loadAddress: UInt64
  let hasLines: Bool
  /// Whether the file has a full symbol table, not only the symbols that it shares with other files.
  let hasSymbols: Bool
  let isMachO: Bool
  /// Nil for Mach-O, whose symbols llvm-symbolizer reads.
  private let elf: ELFFile?
  lazy var functions: SymbolTable? = elf.map { SymbolTable($0) }

  private init(elf: ELFFile, path: String) {
    self.path = path
    reference = path
    buildID = elf.buildID
    loadAddress = elf.loadAddress
    hasLines = elf.hasLines
    hasSymbols = elf.hasFullSymbols
    isMachO = false
    self.elf = elf
  }

  private init(slice: MachOSlice, path: String, isFat: Bool) {
    self.path = path
    reference = isFat ? "\(path):\(slice.architecture)" : path
    buildID = slice.uuid
    loadAddress = slice.textAddress
    hasLines = slice.hasLines
    hasSymbols = slice.hasSymbols
    isMachO = true
    elf = nil
  }

  /// Returns the objects in a file, one per architecture; empty when it is not a program or library.
  static func objects(at path: String) -> [ObjectFile] {
    guard let raw = RawFile(path: path) else { return [] }
    if let elf = try? ELFFile(path: path) { return [ObjectFile(elf: elf, path: path)] }
    let (slices, isFat) = MachOSlice.slices(of: raw)
    return slices.map { ObjectFile(slice: $0, path: path, isFat: isFat) }
  }

  /// Returns whether the file belongs to the build that was mapped. Recorded build ids may be cut short.
  func isBuild(_ recorded: [UInt8]) -> Bool {
    recorded.isEmpty || buildID == recorded || recorded.count >= 8 && buildID.starts(with: recorded)
  }
}

#if canImport(Glibc)
extension ELFFile {
  /// The address of the first segment, in the file's own addresses.
  var loadAddress: UInt64 { segments.first { $0.p_type == PT_LOAD }?.p_vaddr ?? 0 }
  var hasFullSymbols: Bool { sections.contains { $0.sh_type == SHT_SYMTAB } }

  var hasLines: Bool {
    guard let head = try? bytes(0, MemoryLayout<Elf64_Ehdr>.size).entries(Elf64_Ehdr.self).first,
      Int(head.e_shstrndx) < sections.count
    else { return false }
    let names = sections[Int(head.e_shstrndx)]
    guard let strings = try? bytes(names.sh_offset, Int(clamping: names.sh_size)) else { return false }
    return sections.contains {
      $0.sh_type != SHT_NOBITS
        && [".debug_line", ".zdebug_line"].contains(strings.text(at: Int($0.sh_name)))
    }
  }
}
#else
extension ELFFile {
  var loadAddress: UInt64 { 0 }
  var hasFullSymbols: Bool { false }
  var hasLines: Bool { false }
}
#endif
