import SystemSupport
import TraceFormat

/// Finds the files with names for an image: at its recorded path, in folders that the user gives, and where Debian
/// and other systems put debug information. The paths come from a trace, so the files are only read.
final class SymbolFiles {
  /// The files found for an image.
  struct Found {
    var lines: ObjectFile?
    var symbols: ObjectFile
  }

  private let folders: [String]
  /// Created when a folder has no file under the image's build id.
  private var indexOfFolder: [String: FolderIndex] = [:]
  /// The folders that were searched only in part: they have too many entries or are nested too deeply.
  var cutFolders: [String] { folders.filter { indexOfFolder[$0]?.isCut == true } }

  init(folders: [String]) {
    self.folders = folders.map { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
  }

  func files(for image: MappedImage) -> Result<Found, MissingNames> {
    var why = MissingNames.fileMissing
    var best: ObjectFile?
    var id = image.buildID
    /// Tries a file. The first one with lines ends the search.
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
    // Without an id, the file there now may not be the one that ran. So the given folders are searched first.
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

  // MARK: Paths

  private func index(of folder: String) -> FolderIndex {
    let index = indexOfFolder[folder] ?? FolderIndex(folder)
    indexOfFolder[folder] = index
    return index
  }

  private static func paths(of image: MappedImage, id: [UInt8], in folder: String) -> [String] {
    let paths = paths(ofBuild: id, in: folder)
    guard image.path.hasPrefix("/"), !image.path.split(separator: "/").contains("..") else { return paths }
    // The folder may be the root of another system.
    return paths + [folder + image.path, folder + image.path + ".debug"]
  }

  /// Returns the paths in the layouts of `.build-id` and of debuginfod's cache.
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
  /// Debug information in Apple's bundles, which is found by UUID, whatever the bundle's name.
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
      // The path is `ab/cdef….debug` or `abcdef…/debuginfo`.
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

  /// Returns the files in a folder and its subfolders, breadth first. Does not follow links to folders.
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
          // Read in place: an entry is only as long as its name needs, so it may be shorter than the structure.
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
    return (files.ordered(), entries == SymbolLimits.folderEntries || !level.isEmpty)
  }
}
