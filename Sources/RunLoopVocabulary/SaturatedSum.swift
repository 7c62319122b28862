// Counts and times that a file names add up to the largest number where the sum has no room: one that came round to a
// small number would pass for the truth.

extension UInt64 {
  package func saturated(adding other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  package func saturated(times other: UInt64) -> UInt64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}

extension Sequence where Element == UInt64 {
  package var saturatedSum: UInt64 { reduce(0) { $0.saturated(adding: $1) } }
}

extension SIMD where Scalar == UInt64 {
  package var saturatedSum: UInt64 { indices.reduce(0) { $0.saturated(adding: self[$1]) } }
}
