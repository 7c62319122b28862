/// Which file it is, whatever its name.
public struct FileIdentity: Equatable, Sendable {
  private let device: UInt64
  private let number: UInt64

  /// Of an open file. Nil when it cannot be told.
  public init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Of what has that name now, a symbolic link itself. Nil when nothing has.
  public init?(path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  public init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(status.st_ino)
  }
}
