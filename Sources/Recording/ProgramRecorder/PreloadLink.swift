import SystemSupport
import TraceFormat

/// A symbolic link without blanks and colons in its path, for a library whose path has some. The loader splits
/// LD_PRELOAD at them.
struct PreloadLink {
  let path: String
  private let folder: String

  init(to library: String) throws(TraceFormatError) {
    var template = Array("/tmp/rltrace-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      throw .system(what: "cannot make a folder in /tmp for a link to \(library)", code: errno)
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    path = folder + "/" + PreloadLibrary.fileName
    guard unsafe symlink(library, path) == 0 else {
      throw .system(what: "cannot link \(path) to \(library)", code: errno)
    }
  }

  /// Removes the link. Processes that start later are not recorded.
  func remove() {
    unsafe unlink(path)
    unsafe rmdir(folder)
  }
}
