/// An executable image of a process, as mapped.
public struct MappedImage: Hashable, Sendable {
  public var path: String
  /// The number that the loader added to the file's addresses.
  public var bias: UInt64
  public var range: Range<UInt64>
  /// Empty when not known.
  public var buildID: [UInt8]

  public init(path: String, bias: UInt64, range: Range<UInt64>, buildID: [UInt8]) {
    self.path = path
    self.bias = bias
    self.range = range
    self.buildID = buildID
  }

  public var name: String { path.split(separator: "/").last.map(String.init) ?? "?" }
}
