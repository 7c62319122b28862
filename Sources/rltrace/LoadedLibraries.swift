import Foundation

/// The libraries in a process, from the system's list of its memory.
enum LoadedLibraries {
  static let foundation = "libFoundation.so"

  /// The file of a library that a process, a number or "self", has loaded; nil when it has not, or none can be asked.
  static func path(of library: String, process: String) -> String? {
    // Not a size to ask for: such files have none.
    guard let file = FileHandle(forReadingAtPath: "/proc/\(process)/maps"),
      let data = try? file.readToEnd()
    else { return nil }
    let paths = String(decoding: data, as: UTF8.self).split(separator: "\n").map { $0.drop { $0 != "/" } }
    return paths.first { $0.split(separator: "/").last?.hasPrefix(library) == true }.map(String.init)
  }
}
