import Foundation

/// The libraries in a process, according to the system's memory map.
enum LoadedLibraries {
  static let foundation = "libFoundation.so"

  /// Returns the file of a library that a process has loaded; nil if it has not, or if the map cannot be read.
  /// `process` is a number or "self".
  static func path(of library: String, process: String) -> String? {
    // Files in /proc report a size of 0, so the file is read to its end.
    guard let file = FileHandle(forReadingAtPath: "/proc/\(process)/maps"),
      let data = try? file.readToEnd()
    else { return nil }
    let paths = String(decoding: data, as: UTF8.self).split(separator: "\n").map { $0.drop { $0 != "/" } }
    return paths.first { $0.split(separator: "/").last?.hasPrefix(library) == true }.map(String.init)
  }
}
