/// A mounted file system.
package struct Mount: Equatable, Sendable {
  /// The folder at which it is mounted.
  package let point: String
  /// The kernel's name of the type, such as `ext4` or `overlay`.
  package let type: String
  /// The options of the file system, such as `hidepid=invisible`.
  package let options: [String]

  /// Bytes of the list of mounts. Beyond: the others are not read.
  private static let listBytes = 1 << 20

  /// Returns the file system of a folder; nil if it is not known. `folder`: an absolute path without symbolic links.
  /// `root`: the folder with `proc`.
  package static func holding(_ folder: String, root: String = "") -> Mount? {
    var found: Mount?
    let list = Files.text("\(root)/proc/self/mountinfo", atMost: listBytes) ?? ""
    for line in list.split(separator: "\n") {
      guard let mount = Mount(line), mount.holds(folder) else { continue }
      // A later mount at the same point hides the earlier one.
      if mount.point.utf8.count >= found?.point.utf8.count ?? 0 { found = mount }
    }
    return found
  }

  /// Reads a line of mountinfo: id, parent, device, root, point, options, any number of tags, `-`, type, source, options
  /// of the file system.
  private init?(_ line: Substring) {
    let fields = line.split(separator: " ")
    guard fields.count > 6, let dash = fields[6...].firstIndex(of: "-"), fields.count > dash + 3 else {
      return nil
    }
    // The kernel escapes these characters.
    point = fields[4].with(" ", for: "\\040").with("\t", for: "\\011").with("\n", for: "\\012").with(
      "\\", for: "\\134")
    type = String(fields[dash + 1])
    options = fields[dash + 3].split(separator: ",").map(String.init)
  }

  private func holds(_ folder: String) -> Bool {
    folder == point || point == "/" || folder.hasPrefix("\(point)/")
  }
}
