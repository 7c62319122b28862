extension FixedWidthInteger {
  /// Converts toward zero. A value beyond the range becomes the nearest end of the range, and NaN becomes 0.
  @inlinable
  package init(clamping value: Double) {
    self = value.isNaN ? 0 : Self(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
  }
}
