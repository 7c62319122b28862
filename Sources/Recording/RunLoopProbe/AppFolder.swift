import Foundation
import TraceFormat
import TraceRecorder

extension RunLoopTracer {
  /// Returns the path of `NAME.rltrace` in a folder that an app may write. Creates the folder.
  ///
  /// On Apple's systems the folder is `Caches/rltrace` of the app's container. It is excluded from backups, and its
  /// files are accessible after the first unlock, so that a recording continues while the phone is locked. Elsewhere it
  /// is the current folder. Throws if the folder cannot be created.
  public static func defaultOutput(_ name: String) throws(RecordingError) -> String {
    let file = name + SpoolName.traceSuffix
    #if canImport(Darwin)
    let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)
    guard var folder = caches.first?.appendingPathComponent("rltrace") else {
      throw .trace(.system(what: "cannot find the caches folder", code: ENOENT))
    }
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true,
        attributes: [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication])
      var values = URLResourceValues()
      values.isExcludedFromBackup = true
      try folder.setResourceValues(values)
    } catch {
      throw .trace(.system(what: "cannot create \(folder.path)", code: EIO))
    }
    return folder.appendingPathComponent(file).path
    #else
    return file
    #endif
  }
}
