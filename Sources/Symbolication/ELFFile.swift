// With the C library, and its elf.h for what the numbers in a file mean.
import TraceFormat

/// Why a file's symbols or facts cannot be read.
public enum ELFError: Error, Equatable, Sendable {
  case cannotOpen(code: Int32)
  /// Not ELF, or not a 64-bit little-endian one.
  case notSupported
  /// Numbers that do not fit together, or are beyond what any linker writes.
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
/// The parts of an ELF file that names come from. Reads what it needs with pread(2): a file that is cut short
/// meanwhile gives an error, not a fault.
final class ELFFile {
  struct Section {
    var name: UInt32
    var type: UInt32
    var link: UInt32
    var offset: UInt64
    var size: UInt64
  }

  struct Segment {
    var type: UInt32
    var offset: UInt64
    var size: UInt64
  }

  enum Limit {
    static let sections = 65_535
    static let symbols = 8 << 20
    static let stringBytes = 256 << 20
  }

  private let descriptor: Int32
  private let size: UInt64
  private(set) var sections: [Section] = []
  private(set) var segments: [Segment] = []

  init(path: String) throws(ELFError) {
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .cannotOpen(code: errno) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .notSupported
    }
    size = UInt64(status.st_size)
    // Whole from here on: what is thrown now, `deinit` closes behind.
    let head = try bytes(0, MemoryLayout<Elf64_Ehdr>.size)
    guard head.starts(with: ELFMAG.utf8), head[Int(EI_CLASS)] == ELFCLASS64, head[Int(EI_DATA)] == ELFDATA2LSB
    else { throw .notSupported }
    try readSegments(at: head.word(32), count: Int(head.half(56)), entryBytes: Int(head.half(54)))
    try readSections(at: head.word(40), count: Int(head.half(60)), entryBytes: Int(head.half(58)))
  }

  deinit { close(descriptor) }

  /// Throws when the file does not hold them.
  func bytes(_ offset: UInt64, _ count: Int) throws(ELFError) -> [UInt8] {
    guard count >= 0, offset <= size, UInt64(count) <= size - offset, count <= Limit.stringBytes else {
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

  private func readSegments(at offset: UInt64, count: Int, entryBytes: Int) throws(ELFError) {
    guard count > 0 else { return }
    guard entryBytes == MemoryLayout<Elf64_Phdr>.size else { throw .damaged }
    let table = try bytes(offset, count * entryBytes)
    segments = (0..<count).map { i in
      let at = i * entryBytes
      return Segment(type: table.single(at), offset: table.word(at + 8), size: table.word(at + 32))
    }
  }

  private func readSections(at offset: UInt64, count: Int, entryBytes: Int) throws(ELFError) {
    guard count > 0 else { return }
    guard entryBytes == MemoryLayout<Elf64_Shdr>.size, count <= Limit.sections else { throw .damaged }
    let table = try bytes(offset, count * entryBytes)
    sections = (0..<count).map { i in
      let at = i * entryBytes
      return Section(
        name: table.single(at), type: table.single(at + 4), link: table.single(at + 40),
        offset: table.word(at + 24), size: table.word(at + 32))
    }
  }

  /// The symbols of `.symtab`, or of `.dynsym` where there is none, and the strings they are named in.
  func symbols() throws(ELFError) -> (symbols: [ELFSymbol], strings: [UInt8]) {
    let full = sections.first { $0.type == SHT_SYMTAB }
    guard let section = full ?? sections.first(where: { $0.type == SHT_DYNSYM }) else { return ([], []) }
    let entryBytes = MemoryLayout<Elf64_Sym>.size
    guard Int(clamping: section.size) % entryBytes == 0,
      Int(clamping: section.size) / entryBytes <= Limit.symbols,
      Int(section.link) < sections.count
    else { throw .damaged }
    let names = sections[Int(section.link)]
    guard names.size <= Limit.stringBytes else { throw .damaged }
    let strings = try bytes(names.offset, Int(names.size))
    let table = try bytes(section.offset, Int(section.size))
    let symbols = (0..<table.count / entryBytes).map { i in
      let at = i * entryBytes
      return ELFSymbol(
        name: Int(table.single(at)), value: table.word(at + 8), size: table.word(at + 16),
        isFunction: table[at + 4] & 0xF == STT_FUNC, isDefined: table.half(at + 6) != SHN_UNDEF)
    }
    return (symbols, strings)
  }

  /// The GNU build id, empty when there is none.
  var buildID: [UInt8] {
    for segment in segments where segment.type == PT_NOTE && segment.size <= 1 << 16 {
      guard let notes = try? bytes(segment.offset, Int(segment.size)) else { continue }
      var at = 0
      let head = MemoryLayout<Elf64_Nhdr>.size
      while at + head <= notes.count {
        let nameBytes = Int(notes.single(at)), valueBytes = Int(notes.single(at + 4))
        let value = at + head + (nameBytes + 3) / 4 * 4
        let next = value + (valueBytes + 3) / 4 * 4
        guard value + valueBytes <= notes.count else { break }
        if notes.single(at + 8) == NT_GNU_BUILD_ID, nameBytes == ELF_NOTE_GNU.utf8.count + 1,
          notes[(at + head)...].starts(with: ELF_NOTE_GNU.utf8)
        {
          return Array(notes[value..<value + valueBytes])
        }
        at = next
      }
    }
    return []
  }

  /// Asks the loader for shared libraries.
  var isDynamic: Bool { segments.contains { $0.type == PT_INTERP } }

  /// Names of the libraries the file asks for.
  var needed: [String] {
    guard let dynamic = sections.first(where: { $0.type == SHT_DYNAMIC }), Int(dynamic.link) < sections.count,
      dynamic.size <= 1 << 20, let table = try? bytes(dynamic.offset, Int(dynamic.size)),
      let strings = try? bytes(
        sections[Int(dynamic.link)].offset, Int(clamping: sections[Int(dynamic.link)].size))
    else { return [] }
    let entryBytes = MemoryLayout<Elf64_Dyn>.size
    return stride(from: 0, to: table.count + 1 - entryBytes, by: entryBytes).compactMap { at in
      table.word(at) == DT_NEEDED ? strings.text(at: Int(clamping: table.word(at + 8))) : nil
    }
  }
}
#else
/// Programs of this system are no ELF files.
final class ELFFile {
  let isDynamic = false
  let buildID: [UInt8] = []
  let needed: [String] = []

  init(path: String) throws(ELFError) { throw .notSupported }

  func symbols() throws(ELFError) -> (symbols: [ELFSymbol], strings: [UInt8]) { throw .notSupported }
}
#endif

extension [UInt8] {
  // Little-endian numbers. Callers know that the bytes are there.
  func half(_ at: Int) -> UInt16 { UInt16(self[at]) | UInt16(self[at + 1]) << 8 }
  func single(_ at: Int) -> UInt32 { UInt32(half(at)) | UInt32(half(at + 2)) << 16 }
  func word(_ at: Int) -> UInt64 { UInt64(single(at)) | UInt64(single(at + 4)) << 32 }

  /// The zero-terminated text at an offset; nil when there is none, or it is longer than a symbol may be.
  func text(at offset: Int) -> String? {
    guard offset >= 0, offset < count else { return nil }
    let rest = self[offset...].prefix(1 << 16)
    guard let end = rest.firstIndex(of: 0) else { return nil }
    return String(decoding: rest[..<end], as: UTF8.self)
  }
}
