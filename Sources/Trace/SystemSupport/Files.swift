/// Functions for files by path.
package enum Files {
  /// Returns whether `path` is a regular file that begins with these bytes. Symbolic links do not count unless they
  /// are followed.
  package static func begins(_ path: String, with magic: [UInt8], followingLinks: Bool = false) -> Bool {
    beginning(path, magic.count, followingLinks: followingLinks) == magic
  }

  /// Returns the first bytes of a regular file, at most `count`; nil when it cannot be read.
  private static func beginning(_ path: String, _ count: Int, followingLinks: Bool = false) -> [UInt8]? {
    let links = followingLinks ? 0 : O_NOFOLLOW
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | links)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = pread(descriptor, &bytes, count, 0)
    return read >= 0 ? Array(bytes[..<read]) : nil
  }

  /// Returns the text of a file, at most its first `limit` bytes; nil when it cannot be read. A file in /proc reports 0
  /// bytes, and a read of it returns a part.
  package static func text(_ path: String, atMost limit: Int) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: limit)
    var count = 0
    while count < limit {
      let got = bytes.withUnsafeMutableBytes { bytes in
        let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
        return read(descriptor, rest.baseAddress, rest.count)
      }
      guard got >= 0 || errno == EINTR else { return nil }
      guard got != 0 else { break }
      count += max(got, 0)
    }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// Returns whether `path` is an empty regular file. Files in /proc report 0 bytes but have contents, so it tries to
  /// read.
  package static func isEmpty(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
      && beginning(path, 1).map(\.isEmpty) ?? true
  }

  /// Returns the folder of `path`, with a trailing slash.
  package static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
  }

  /// Returns `path` without its folder.
  package static func name(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  /// Returns the folder of `path`, with a trailing slash, and the names of the files in it.
  package static func neighbours(of path: String) -> (folder: String, names: [String]) {
    let folder = folder(of: path)
    guard let stream = opendir(folder) else { return (folder, []) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return (folder, names)
  }
}
