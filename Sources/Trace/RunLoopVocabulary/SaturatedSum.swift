// Counts and times that come from a file saturate at the largest number. A sum that wrapped to a small number would
// look correct.

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
