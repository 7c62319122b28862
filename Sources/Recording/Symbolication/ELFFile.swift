// Includes the C library, whose elf.h defines the numbers in a file.
import SystemSupport

/// A reason why a file's symbols or facts cannot be read.
package enum ELFError: Error, Equatable, Sendable {
  case cannotOpen(code: Int32)
  /// The file is not ELF, or not 64-bit little-endian.
  case notSupported
  /// Numbers contradict each other, or exceed what any linker writes.
  case damaged
}

struct ELFSymbol {
  var name: Int
  var value: UInt64
  var size: UInt64
  var isFunction: Bool
  var isDefined: Bool
}

#if canImport(Glibc)
/// The parts of an ELF file that names come from. Reads the file with pread(2), so that truncating it meanwhile
/// causes an error instead of a fault.
final class ELFFile {
  private let descriptor: Int32
  private let size: UInt64
  private(set) var sections: [Elf64_Shdr] = []
  private(set) var segments: [Elf64_Phdr] = []
  /// The index of the section with the sections' names.
  private var sectionNames = 0

  init(path: String) throws(ELFError) {
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .cannotOpen(code: errno) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .notSupported
    }
    size = UInt64(status.st_size)
    // All properties are set. If the rest throws, `deinit` closes the file.
    let head = try entries(Elf64_Ehdr.self, at: 0, count: 1)[0]
    let isSupported = unsafe withUnsafeBytes(of: head.e_ident) {
      unsafe $0.starts(with: ELFMAG.utf8) && $0[Int(EI_CLASS)] == ELFCLASS64
        && $0[Int(EI_DATA)] == ELFDATA2LSB
    }
    guard isSupported else { throw .notSupported }
    guard head.e_phnum == 0 || Int(head.e_phentsize) == MemoryLayout<Elf64_Phdr>.size,
      head.e_shnum == 0 || Int(head.e_shentsize) == MemoryLayout<Elf64_Shdr>.size
    else { throw .damaged }
    segments = try entries(Elf64_Phdr.self, at: head.e_phoff, count: Int(head.e_phnum))
    sections = try entries(Elf64_Shdr.self, at: head.e_shoff, count: Int(head.e_shnum))
    sectionNames = Int(head.e_shstrndx)
  }

  deinit { close(descriptor) }

  /// Returns bytes of the file. Throws when the file does not have them.
  func bytes(_ offset: UInt64, _ count: Int) throws(ELFError) -> [UInt8] {
    guard count >= 0, offset <= size, UInt64(count) <= size - offset, count <= SymbolLimits.sectionBytes
    else {
      throw .damaged
    }
    var done = 0
    let result = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while done < count {
        let read = unsafe pread(
          descriptor, buffer.baseAddress! + done, count - done, off_t(offset) + off_t(done))
        if read <= 0 { break }
        done += read
      }
      filled = done
    }
    guard done == count else { throw .damaged }
    return result
  }

  /// Returns the records of a table in the file, with the layout of elf.h.
  private func entries<Entry>(
    _ type: Entry.Type, at offset: UInt64, count: Int
  ) throws(ELFError) -> [Entry] {
    guard count > 0 else { return [] }
    return try bytes(offset, count * MemoryLayout<Entry>.size).entries(type)
  }

  /// Returns the symbols of `.symtab`, or of `.dynsym` if there is none, and their strings.
  func symbols() throws(ELFError) -> (symbols: [ELFSymbol], strings: [UInt8]) {
    let full = sections.first { $0.sh_type == SHT_SYMTAB }
    guard let section = full ?? sections.first(where: { $0.sh_type == SHT_DYNSYM }) else { return ([], []) }
    let (count, rest) = section.sh_size.quotientAndRemainder(dividingBy: UInt64(MemoryLayout<Elf64_Sym>.size))
    guard rest == 0, count <= SymbolLimits.symbols, Int(section.sh_link) < sections.count else {
      throw .damaged
    }
    let names = sections[Int(section.sh_link)]
    guard names.sh_size <= SymbolLimits.sectionBytes else { throw .damaged }
    let strings = try bytes(names.sh_offset, Int(names.sh_size))
    let symbols = try entries(Elf64_Sym.self, at: section.sh_offset, count: Int(count)).map {
      ELFSymbol(
        name: Int($0.st_name), value: $0.st_value, size: $0.st_size, isFunction: $0.st_info & 0xF == STT_FUNC,
        isDefined: $0.st_shndx != SHN_UNDEF)
    }
    return (symbols, strings)
  }

  /// The GNU build id; empty when there is none.
  var buildID: [UInt8] {
    for segment in segments where segment.p_type == PT_NOTE && segment.p_filesz <= SymbolLimits.noteBytes {
      guard let notes = try? bytes(segment.p_offset, Int(segment.p_filesz)) else { continue }
      var at = 0
      let headBytes = MemoryLayout<Elf64_Nhdr>.size
      while at + headBytes <= notes.count {
        let head = Array(notes[at..<at + headBytes]).entries(Elf64_Nhdr.self)[0]
        let name = at + headBytes
        let value = name + (Int(head.n_namesz) + 3) / 4 * 4
        let next = value + (Int(head.n_descsz) + 3) / 4 * 4
        guard value + Int(head.n_descsz) <= notes.count else { break }
        if head.n_type == NT_GNU_BUILD_ID, head.n_namesz == ELF_NOTE_GNU.utf8.count + 1,
          notes[name...].starts(with: ELF_NOTE_GNU.utf8)
        {
          return Array(notes[value..<value + Int(head.n_descsz)])
        }
        at = next
      }
    }
    return []
  }

  /// Whether the program asks the loader for shared libraries.
  var isDynamic: Bool { segments.contains { $0.p_type == PT_INTERP } }

  /// Whether the file has no symbols but those that other libraries may use.
  var isStripped: Bool { !sections.contains { $0.sh_type == SHT_SYMTAB } }

  /// Whether the file has the metadata of Swift code.
  var hasSwift: Bool {
    guard sectionNames < sections.count,
      let names = try? bytes(sections[sectionNames].sh_offset, Int(clamping: sections[sectionNames].sh_size))
    else { return false }
    return sections.contains { names.text(at: Int($0.sh_name))?.hasPrefix("swift5_") == true }
  }

  /// The names of the libraries that the file asks for.
  var needed: [String] {
    guard let dynamic = sections.first(where: { $0.sh_type == SHT_DYNAMIC }),
      dynamic.sh_size <= SymbolLimits.dynamicBytes,
      Int(dynamic.sh_link) < sections.count, let table = try? bytes(dynamic.sh_offset, Int(dynamic.sh_size))
    else { return [] }
    let names = sections[Int(dynamic.sh_link)]
    guard let strings = try? bytes(names.sh_offset, Int(clamping: names.sh_size)) else { return [] }
    return table.entries(Elf64_Dyn.self).compactMap {
      // SAFETY: The union is one word, whichever member is read.
      unsafe $0.d_tag == DT_NEEDED ? strings.text(at: Int(clamping: $0.d_un.d_val)) : nil
    }
  }
}
#else
/// Programs of this system are not ELF files.
final class ELFFile {
  let isDynamic = false
  let isStripped = false
  let hasSwift = false
  let buildID: [UInt8] = []
  let needed: [String] = []

  init(path: String) throws(ELFError) { throw .notSupported }

  func symbols() throws(ELFError) -> (symbols: [ELFSymbol], strings: [UInt8]) { throw .notSupported }
}
#endif

extension [UInt8] {
  /// Returns the complete records.
  func entries<Entry>(_ type: Entry.Type) -> [Entry] {
    unsafe withUnsafeBytes { bytes in
      (0..<bytes.count / MemoryLayout<Entry>.size).map {
        unsafe bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Entry>.size, as: type)
      }
    }
  }

  /// Returns the zero-terminated text at an offset; nil when there is none, or when it is longer than a symbol may
  /// be.
  func text(at offset: Int) -> String? {
    guard offset >= 0, offset < count else { return nil }
    let rest = self[offset...].prefix(1 << 16)
    guard let end = rest.firstIndex(of: 0) else { return nil }
    return String(decoding: rest[..<end], as: UTF8.self)
  }
}
