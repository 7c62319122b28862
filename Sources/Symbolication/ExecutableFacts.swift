import TraceFormat

/// What can be said of a program before it runs.
public struct ExecutableFacts: Sendable {
  /// Asks the loader for shared libraries; a program that does not cannot be given one more.
  public let isDynamic: Bool
  /// Runs with other rights than its caller's: the loader ignores preloaded libraries.
  public let isPrivileged: Bool
  public let needed: [String]
  /// Tells one build from another; empty where the linker left none.
  public let buildID: [UInt8]
  private let path: String

  /// Throws `.notSupported` for scripts and other things that are no ELF program.
  public init(path: String) throws(ELFError) {
    let file = try ELFFile(path: path)
    self.path = path
    isDynamic = file.isDynamic
    needed = file.needed
    buildID = file.buildID
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw .cannotOpen(code: errno) }
    let isSetUser = status.st_mode & S_ISUID != 0 && status.st_uid != getuid()
    let isSetGroup = status.st_mode & S_ISGID != 0 && status.st_gid != getgid()
    #if os(Linux)
    let hasCapabilities = unsafe getxattr(path, "security.capability", nil, 0) > 0
    #else
    let hasCapabilities = false
    #endif
    isPrivileged = isSetUser || isSetGroup || hasCapabilities
  }

  /// Whether the program itself holds a function, as when a library was linked in statically.
  public func defines(_ name: String) -> Bool {
    guard let file = try? ELFFile(path: path), let (symbols, strings) = try? file.symbols() else {
      return false
    }
    let wanted = Array(name.utf8) + [0]
    return symbols.contains { symbol in
      symbol.isDefined && symbol.name + wanted.count <= strings.count
        && strings[symbol.name..<symbol.name + wanted.count].elementsEqual(wanted)
    }
  }
}

#if os(Linux)
// Not in the C library's module map.
@_silgen_name("getxattr")
private func getxattr(
  _ path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>, _ value: UnsafeMutableRawPointer?, _ size: Int
) -> Int
#endif
