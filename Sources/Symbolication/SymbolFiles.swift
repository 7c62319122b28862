import TraceFormat

/// Finds the files with names for an image: where it was, in folders that somebody gives, and where Debian and others
/// put debug information. Paths come from a trace, so they are looked at, and nothing else is done with them.
final class SymbolFiles {
  /// What was found for an image.
  struct Found {
    var lines: ObjectFile?
    var symbols: ObjectFile
  }

  private let folders: [String]
  /// Made when a file is not where its build id says.
  private var indexOfFolder: [String: FolderIndex] = [:]
  /// Those with more entries than are looked at.
  var cutFolders: [String] { folders.filter { indexOfFolder[$0]?.isCut == true } }

  init(folders: [String]) {
    self.folders = folders.map { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
  }

  func files(for image: MappedImage) -> Result<Found, MissingNames> {
    var why = MissingNames.fileMissing
    var best: ObjectFile?
    var id = image.buildID
    /// The first file with lines ends the search.
    func search(_ path: String, isRecorded: Bool = false) -> Found? {
      guard RawFile.isRegular(path) else { return nil }
      let objects = ObjectFile.objects(at: path)
      guard let object = objects.first(where: { $0.isBuild(id) }) else {
        if isRecorded || why == .fileMissing { why = objects.isEmpty ? .fileUnreadable : .otherBuild }
        return nil
      }
      if id.isEmpty { id = object.buildID }
      if best == nil || object.hasSymbols && best?.hasSymbols == false { best = object }
      guard object.hasLines else { return nil }
      return Found(lines: object, symbols: best.flatMap { $0.hasSymbols ? $0 : nil } ?? object)
    }

    let recorded = image.path.hasPrefix("/") ? [image.path] : []
    // Without an id nothing tells whether what stands there now is what ran: a folder that was given goes first.
    if !id.isEmpty, let found = recorded.compactMap({ search($0, isRecorded: true) }).first {
      return .success(found)
    }
    for folder in folders {
      for path in SymbolFiles.paths(of: image, id: id, in: folder) {
        if let found = search(path) { return .success(found) }
      }
      for path in index(of: folder).paths(named: image.name, id: id) {
        if let found = search(path) { return .success(found) }
      }
    }
    if image.buildID.isEmpty, let found = recorded.compactMap({ search($0, isRecorded: true) }).first {
      return .success(found)
    }
    for path in SymbolFiles.paths(ofBuild: id, in: "/usr/lib/debug") {
      if let found = search(path) { return .success(found) }
    }
    return best.map { .success(Found(lines: nil, symbols: $0)) } ?? .failure(why)
  }

  // MARK: Where to look

  private func index(of folder: String) -> FolderIndex {
    let index = indexOfFolder[folder] ?? FolderIndex(folder)
    indexOfFolder[folder] = index
    return index
  }

  private static func paths(of image: MappedImage, id: [UInt8], in folder: String) -> [String] {
    let paths = paths(ofBuild: id, in: folder)
    guard image.path.hasPrefix("/"), !image.path.split(separator: "/").contains("..") else { return paths }
    // The root of another system.
    return paths + [folder + image.path, folder + image.path + ".debug"]
  }

  /// The layouts of `.build-id` and of debuginfod's cache.
  private static func paths(ofBuild id: [UInt8], in folder: String) -> [String] {
    guard id.count > 1 else { return [] }
    let hex = TextForm.hex(id)
    let split = "\(hex.prefix(2))/\(hex.dropFirst(2))"
    return [
      "\(folder)/.build-id/\(split).debug", "\(folder)/\(split).debug", "\(folder)/\(hex)/debuginfo",
      "\(folder)/buildid/\(hex)/debuginfo", "\(folder)/.build-id/\(split)", "\(folder)/\(hex)/executable",
      "\(folder)/buildid/\(hex)/executable",
    ]
  }
}

/// The files in a folder that may have names for an image.
private struct FolderIndex {
  private var pathsOfName: [String: [String]] = [:]
  /// Debug information in bundles of Apple's: found by UUID, whatever the bundle is called.
  private var bundled: [String] = []
  private(set) var isCut = false

  private static let uuidBytes = 16

  init(_ folder: String) {
    let files = FolderIndex.files(in: folder)
    isCut = files.isCut
    for path in files.paths {
      let parts = path.split(separator: "/")
      guard let last = parts.last, parts.count > 1 else { continue }
      let parent = parts[parts.count - 2]
      pathsOfName[String(last), default: []].append(path)
      // `ab/cdef….debug`, and `abcdef…/debuginfo`.
      let id = String(parent) + last.prefix { $0 != "." }
      for name in [id, String(parent)] where name.utf8.count >= 16 && name.allSatisfy(\.isHexDigit) {
        pathsOfName[name, default: []].append(path)
      }
      if parent == "DWARF", path.has(".dSYM/") { bundled.append(path) }
    }
  }

  func paths(named name: String, id: [UInt8]) -> [String] {
    let names = [name, name + ".debug"] + (id.isEmpty ? [] : [TextForm.hex(id)])
    return names.flatMap { pathsOfName[$0] ?? [] } + (id.count == FolderIndex.uuidBytes ? bundled : [])
  }

  /// The files in a folder and its folders, breadth first; links to folders are not followed.
  private static func files(in folder: String) -> (paths: [String], isCut: Bool) {
    var files: [String] = []
    var level = [folder]
    var entries = 0
    for _ in 0..<SymbolLimits.folderDepth {
      var next: [String] = []
      for folder in level {
        guard let stream = unsafe opendir(folder) else { continue }
        defer { unsafe closedir(stream) }
        while entries < SymbolLimits.folderEntries, let entry = unsafe readdir(stream) {
          // In its place: an entry is as long as its name, and shorter than the structure.
          let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
            unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
          }
          guard name != ".", name != ".." else { continue }
          entries += 1
          let path = "\(folder)/\(name)"
          var status = stat()
          guard unsafe lstat(path, &status) == 0 else { continue }
          if status.st_mode & S_IFMT == S_IFDIR { next.append(path) } else { files.append(path) }
        }
      }
      level = next
    }
    return (files.sorted(), entries == SymbolLimits.folderEntries || !level.isEmpty)
  }
}
