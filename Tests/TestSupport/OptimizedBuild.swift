import Testing

extension Trait where Self == ConditionTrait {
  /// Skips a test in builds without optimization, where it would take many seconds. `tools/test --changed` makes such
  /// a build and should be quick.
  package static var optimizedBuild: Self {
    #if DEBUG
    .disabled("takes too long without optimization")
    #else
    .enabled(if: true)
    #endif
  }
}
