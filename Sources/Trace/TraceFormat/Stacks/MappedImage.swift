/// An executable image of a process, as mapped.
package struct MappedImage: Hashable, Sendable {
  package var path: String
  /// The number that the loader added to the file's addresses.
  package var bias: UInt64
  package var range: Range<UInt64>
  /// Empty when not known.
  package var buildID: [UInt8]

  package init(path: String, bias: UInt64, range: Range<UInt64>, buildID: [UInt8]) {
    self.path = path
    self.bias = bias
    self.range = range
    self.buildID = buildID
  }

  package var name: String { path.split(separator: "/").last.map(String.init) ?? "?" }
}
