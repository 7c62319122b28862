import SystemSupport

/// Facts about a program that are known before it runs.
package struct ExecutableFacts: Sendable {
  /// Whether the program asks the loader for shared libraries. Only then can another library be preloaded.
  package let isDynamic: Bool
  /// Whether the program runs with different privileges from its caller. Then the loader ignores preloaded libraries.
  package let isPrivileged: Bool
  package let needed: [String]
  /// Whether the program contains the Swift runtime, and no symbols by which its functions could be found.
  package let hidesSwiftRuntime: Bool
  /// The id of the build; empty when the linker wrote none.
  package let buildID: [UInt8]
  private let path: String

  /// Reads a program. Throws `.notSupported` for scripts and other files that are not ELF programs.
  package init(path: String) throws(ELFError) {
    let file = try ELFFile(path: path)
    self.path = path
    isDynamic = file.isDynamic
    needed = file.needed
    hidesSwiftRuntime =
      file.isStripped && !file.needed.contains { $0.hasPrefix("libswiftCore.so") } && file.hasSwift
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

  /// Returns whether the program itself contains a function, for example from a statically linked library.
  package func defines(_ name: String) -> Bool {
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
// The C library's module map does not have this function.
@_silgen_name("getxattr")
private func getxattr(
  _ path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>, _ value: UnsafeMutableRawPointer?, _ size: Int
) -> Int
#endif
