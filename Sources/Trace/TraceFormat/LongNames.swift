/// Shortens very long names while reading. A trace may have 32 MiB of them, and displays show only how they begin.
public struct LongNames: Sendable {
  let limit: Int
  let cut: @Sendable (String) -> String

  /// `limit`: the UTF-8 bytes of the longest name that stays whole. `cut`: returns the replacement of a longer name.
  public init(over limit: Int, cut: @escaping @Sendable (String) -> String) {
    self.limit = limit
    self.cut = cut
  }
}
