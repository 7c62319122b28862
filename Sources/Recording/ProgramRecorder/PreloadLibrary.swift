import SystemPackage
import SystemSupport

/// The library that is loaded into a program to record it.
package struct PreloadLibrary: Sendable {
  package static let fileName = "librltrace-preload.so"
  package let path: String
  /// The message when `find` has found nothing.
  package static let advice =
    "\(fileName) is neither beside rltrace nor in ../lib/rltrace; build all products (swift build), or set "
    + "\(nameVariable) to its path"
  /// The variable that names the library.
  private static let nameVariable = "RLTRACE_PRELOAD"

  /// Finds the library: at `$RLTRACE_PRELOAD` if that is set, otherwise beside the running binary, then in
  /// ../lib/rltrace/. Returns nil if it is in none of these places.
  package static func find(environment: [String: String]) -> PreloadLibrary? {
    places(environment: environment).first { unsafe access($0, R_OK) == 0 }.map(PreloadLibrary.init)
  }

  static func places(environment: [String: String]) -> [String] {
    if let given = environment[nameVariable], !given.isEmpty { return [absolute(given)] }
    guard let binary = realPath("/proc/self/exe") else { return [] }
    let folder = FilePath(binary).removingLastComponent()
    return [
      folder.appending(fileName).string,
      folder.removingLastComponent().appending("lib").appending("rltrace").appending(fileName).string,
    ]
  }

  /// Whether the path needs a link, because the loader splits LD_PRELOAD at blanks and colons.
  var needsLink: Bool { path.contains { $0 == " " || $0 == ":" || $0 == "\t" } }
}

/// Returns the file behind symbolic links, or nil if there is none.
func realPath(_ path: String) -> String? {
  guard let real = unsafe realpath(path, nil) else { return nil }
  defer { unsafe free(real) }
  return unsafe String(cString: real)
}

/// Returns a path that stays valid when the current folder changes. The file need not exist. If the folder's name is
/// not UTF-8, the path stays relative: a `String` cannot hold that name, and this process does not leave its folder.
func absolute(_ path: String) -> String {
  let path = FilePath(path)
  guard path.isRelative, let folder = unsafe getcwd(nil, 0) else { return path.lexicallyNormalized().string }
  defer { unsafe free(folder) }
  guard let name = unsafe String(validatingCString: folder) else {
    // Begins with `./`, as the names of the files beside it do.
    return "./\(path.lexicallyNormalized().string)"
  }
  return FilePath(name).pushing(path).lexicallyNormalized().string
}
