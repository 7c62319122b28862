import SystemSupport

/// The facts about one architecture of a Mach-O file that are needed before llvm-symbolizer is asked about it.
struct MachOSlice {
  var uuid: [UInt8] = []
  /// The address of the code according to the file, from which the loader moves it.
  var textAddress: UInt64 = 0
  var hasLines = false
  var hasSymbols = false
  /// The architecture's name for llvm-symbolizer.
  var architecture = ""

  /// Returns the slices of a file; empty when it is not a 64-bit Mach-O file.
  static func slices(of file: RawFile) -> (slices: [MachOSlice], isFat: Bool) {
    guard let head = file.bytes(0, 8) else { return ([], false) }
    let magic = head.bigEndian(at: 0), count = Int(head.bigEndian(at: 4))
    guard magic == 0xCAFE_BABE || magic == 0xCAFE_BABF else {
      return ([slice(of: file, at: 0)].compactMap { $0 }, false)
    }
    // Java's class files have the same magic, and a version in place of the number of slices.
    guard count <= SymbolLimits.slices else { return ([], true) }
    let isWide = magic == 0xCAFE_BABF, entryBytes = isWide ? 32 : 20
    guard let entries = file.bytes(8, count * entryBytes) else { return ([], true) }
    let found = (0..<count).compactMap { number in
      let at = number * entryBytes + 8
      let offset = UInt64(entries.bigEndian(at: at))
      return slice(of: file, at: isWide ? offset << 32 | UInt64(entries.bigEndian(at: at + 4)) : offset)
    }
    return (found, true)
  }

  private static func slice(of file: RawFile, at offset: UInt64) -> MachOSlice? {
    guard let head = file.bytes(offset, 32), head.littleEndian(at: 0) == 0xFEED_FACF else { return nil }
    let commandBytes = Int(head.littleEndian(at: 20))
    guard commandBytes <= SymbolLimits.commandBytes, offset <= .max - 32,
      let commands = file.bytes(offset + 32, commandBytes)
    else { return nil }
    var slice = MachOSlice()
    switch (head.littleEndian(at: 4), head.littleEndian(at: 8) & 0xFF) {
    case (0x0100_0007, _): slice.architecture = "x86_64"
    case (0x0100_000C, 2): slice.architecture = "arm64e"
    case (0x0100_000C, _): slice.architecture = "arm64"
    default: return nil
    }
    var at = 0
    while at + 8 <= commands.count {
      let size = Int(commands.littleEndian(at: at + 4))
      guard size >= 8, size <= commands.count - at else { break }
      slice.read(Array(commands[at..<at + size]))
      at += size
    }
    return slice
  }

  /// Reads a load command, see mach-o/loader.h.
  private mutating func read(_ command: [UInt8]) {
    switch command.littleEndian(at: 0) {
    case 0x1B where command.count >= 24:  // LC_UUID
      uuid = Array(command[8..<24])
    case 0x02 where command.count >= 16:  // LC_SYMTAB
      hasSymbols = command.littleEndian(at: 12) > 0
    case 0x19 where command.count >= 72:  // LC_SEGMENT_64
      if command.name(at: 8) == "__TEXT" {
        textAddress = UInt64(command.littleEndian(at: 28)) << 32 | UInt64(command.littleEndian(at: 24))
      }
      for section in stride(from: 72, to: command.count - 79, by: 80)
      where command.name(at: section) == "__debug_line" { hasLines = true }
    default: break
    }
  }
}

extension [UInt8] {
  /// Returns 0 beyond the end.
  fileprivate func littleEndian(at offset: Int) -> UInt32 { bigEndian(at: offset).byteSwapped }

  fileprivate func bigEndian(at offset: Int) -> UInt32 {
    guard offset + 4 <= count else { return 0 }
    return self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  fileprivate func name(at offset: Int) -> String {
    String(decoding: dropFirst(offset).prefix(16).prefix { $0 != 0 }, as: UTF8.self)
  }
}

/// The bytes of a regular file. Devices and pipes are not opened, because opening them may block or have effects.
final class RawFile {
  private let descriptor: Int32
  private let size: UInt64

  init?(path: String) {
    guard RawFile.isRegular(path) else { return nil }
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    var status = stat()
    guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else { return nil }
    size = UInt64(clamping: status.st_size)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
  }

  /// Returns bytes of the file; nil when it does not have them.
  func bytes(_ offset: UInt64, _ count: Int) -> [UInt8]? {
    guard count >= 0, offset <= size, UInt64(count) <= size - offset else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(descriptor, $0.baseAddress, count, off_t(offset))
    }
    return read == count ? bytes : nil
  }
}
