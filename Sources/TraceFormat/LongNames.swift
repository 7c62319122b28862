/// What a reader keeps of very long names. A trace may have 32 MiB of them, and who shows names shows how they begin.
public struct LongNames: Sendable {
  let limit: Int
  let cut: @Sendable (String) -> String

  /// `limit`: the UTF-8 bytes of the longest name that stays whole. `cut`: what stands for a longer one.
  public init(over limit: Int, cut: @escaping @Sendable (String) -> String) {
    self.limit = limit
    self.cut = cut
  }
}
