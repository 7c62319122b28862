import SystemSupport

/// Demangles function names of symbols that may come from untrusted files.
///
/// A symbol of 150 characters can expand to a name of gigabytes, because mangled names refer to their own parts. No
/// demangler can be interrupted. So this one works in a copy of the process with little time and memory. If the copy
/// fails on a symbol, that symbol stays mangled and the next one gets a new copy.
package final class BoundedDemangler {
  package struct Name: Sendable {
    /// The short name. If the symbol cannot be demangled, the symbol itself, cut where it is long.
    package var short: String
    /// For Swift, the name with what distinguishes it from others of the same short name.
    package var full: String?
    /// Whether the symbol is a thunk, which does not name any code of the program.
    package var isThunk = false
  }

  private var known: [String: Name] = [:]
  private var process: SideProcess?
  private(set) var losses = 0

  package init() {}

  /// The functions that the compiler makes for an async main: a prefix, and a part of a thunk's name.
  private static let asyncMain = "async_Main", thunkOfAsyncMain = "TR10async_Main"

  package func name(of symbol: String) -> Name {
    if symbol.hasPrefix(Self.asyncMain) || symbol.has(Self.thunkOfAsyncMain) {
      return Name(short: "async main")
    }
    guard BoundedDemangler.isMangled(symbol) else { return asItIs(symbol) }
    if let name = known[symbol] { return name }
    let name = demangled(symbol) ?? asItIs(symbol)
    known[symbol] = name
    return name
  }

  private func asItIs(_ symbol: String) -> Name {
    let text = symbol.prefix(SymbolLimits.shownCharacters)
    return Name(short: text.endIndex == symbol.endIndex ? symbol : text + "…")
  }

  package static func isMangled(_ symbol: String) -> Bool {
    ["$s", "$S", "_$s", "_$S", "_T", "_Z", "__Z", "___Z", "_RN", "_RI", "__RN", "__RI"].contains {
      symbol.hasPrefix($0)
    }
  }

  private func demangled(_ symbol: String) -> Name? {
    let bytes = Array(symbol.utf8)
    guard bytes.count <= SymbolLimits.symbolBytes, losses < SymbolLimits.demanglingLosses else { return nil }
    var answer: [UInt8] = []
    do throws(SideProcessError) {
      if process == nil { process = try SideProcess.copy { BoundedDemangler.serve($0) } }
      try process?.exchange(BoundedDemangler.framed(bytes), limitMs: SymbolLimits.demanglingMs) {
        answer += $0
        return BoundedDemangler.message(answer) != nil
      }
    } catch {
      process = nil
      losses += 1
      return nil
    }
    return BoundedDemangler.message(answer).flatMap(BoundedDemangler.name)
  }

  // MARK: Messages on the socket: a length of four bytes, then a symbol; or a flag, a name, zero, a full name.

  private static func framed(_ bytes: [UInt8]) -> [UInt8] {
    unsafe withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { unsafe Array($0) } + bytes
  }

  private static func message(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
    guard bytes.count >= 4 else { return nil }
    let count = bytes[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
    return bytes.count - 4 >= count ? bytes[4..<4 + count] : nil
  }

  private static func name(_ message: ArraySlice<UInt8>) -> Name? {
    guard let flags = message.first else { return nil }
    let parts = message.dropFirst().split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    let full = String(decoding: parts[1], as: UTF8.self)
    return Name(
      short: String(decoding: parts[0], as: UTF8.self), full: full.isEmpty ? nil : full, isThunk: flags == 1)
  }

  // MARK: The copy

  private static func serve(_ socket: Int32) {
    limitMemory()
    var pending: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 12)
    while true {
      while let request = message(pending) {
        let name = ShortName(symbol: String(decoding: request, as: UTF8.self))
        let full = Array((name.full ?? "").utf8.prefix(SymbolLimits.nameBytes))
        let answer = framed(
          [name.isThunk ? 1 : 0] + Array(name.text.utf8.prefix(SymbolLimits.nameBytes)) + [0] + full)
        guard
          unsafe answer.withUnsafeBytes({ unsafe write(socket, $0.baseAddress, $0.count) }) == answer.count
        else { return }
        pending.removeFirst(4 + request.count)
      }
      let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(socket, $0.baseAddress, $0.count) }
      guard count > 0 || count < 0 && errno == EINTR else { return }
      pending += chunk[..<max(count, 0)]
    }
  }

  private static func limitMemory() {
    #if canImport(Glibc)
    var text = [UInt8](repeating: 0, count: 128)
    let file = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    let count = unsafe text.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
    close(file)
    let pages = text.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: " ") }
    let used = (UInt64(String(decoding: pages, as: UTF8.self)) ?? 0) &* UInt64(sysconf(Int32(_SC_PAGESIZE)))
    guard used > 0 else { return }
    let most = rlim_t(used + UInt64(SymbolLimits.demanglingBytes))
    var space = rlimit(rlim_cur: most, rlim_max: most)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &space)
    var core = rlimit(rlim_cur: 0, rlim_max: 0)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
    #endif
  }
}
