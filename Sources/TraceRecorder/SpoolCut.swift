/// Why a part of a spool is gone, with all that was stored from then on.
public enum SpoolCut: UInt64, Sendable {
  /// The file became shorter.
  case bySomebody = 1
  /// The disk did not take what was stored.
  case byFullDisk

  /// What happened to `spool`, in words.
  public func text(_ spool: String) -> String {
    switch self {
    case .bySomebody: "somebody cut \(spool)"
    case .byFullDisk: "the disk had no room for \(spool)"
    }
  }
}
