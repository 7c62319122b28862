/// Shortens very long names while reading. A trace may have 32 MiB of them, and displays show only how they begin.
package struct LongNames: Sendable {
  let limit: Int
  let cut: @Sendable (String) -> String

  /// `limit`: the UTF-8 bytes of the longest name that stays whole. `cut`: returns the replacement of a longer name.
  package init(over limit: Int, cut: @escaping @Sendable (String) -> String) {
    self.limit = limit
    self.cut = cut
  }
}

extension TraceReader {
  /// Opens a trace and keeps all names as they are. Throws when nothing can be read from it.
  public convenience init(source: any ByteSource, codecs: @escaping CodecProvider) throws(TraceFormatError) {
    try self.init(source: source, codecs: codecs, longNames: nil)
  }
}
