import SystemPackage
import TraceFormat

/// The library that is put into a program to record it.
public struct PreloadLibrary: Sendable {
  public static let fileName = "librltrace-preload.so"
  public let path: String

  /// Where it may be: `$RLTRACE_PRELOAD`, beside the running binary, then in ../lib/rltrace/. Nil when it is in none.
  public static func find(environment: [String: String]) -> PreloadLibrary? {
    places(environment: environment).first { unsafe access($0, R_OK) == 0 }.map(PreloadLibrary.init)
  }

  static func places(environment: [String: String]) -> [String] {
    if let given = environment["RLTRACE_PRELOAD"], !given.isEmpty { return [absolute(given)] }
    guard let binary = realPath("/proc/self/exe") else { return [] }
    let folder = FilePath(binary).removingLastComponent()
    return [
      folder.appending(fileName).string,
      folder.removingLastComponent().appending("lib").appending("rltrace").appending(fileName).string,
    ]
  }

  /// The list that LD_PRELOAD is split at blanks and colons, so such a path needs another name.
  var needsLink: Bool { path.contains { $0 == " " || $0 == ":" || $0 == "\t" } }
}

/// The file behind symbolic links, nil where there is none.
func realPath(_ path: String) -> String? {
  guard let real = unsafe realpath(path, nil) else { return nil }
  defer { unsafe free(real) }
  return unsafe String(cString: real)
}

/// A path that stays right when the folder changes. The file need not exist. Where the folder's name is not UTF-8 it stays
/// relative: a text cannot have that name, and this process does not leave its folder.
func absolute(_ path: String) -> String {
  let path = FilePath(path)
  guard path.isRelative, let folder = unsafe getcwd(nil, 0) else { return path.lexicallyNormalized().string }
  defer { unsafe free(folder) }
  guard let name = unsafe String(validatingCString: folder) else {
    // As the names of the files beside it are put together.
    return "./\(path.lexicallyNormalized().string)"
  }
  return FilePath(name).pushing(path).lexicallyNormalized().string
}
