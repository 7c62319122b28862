import CRLTraceShims

/// The lines that a processor's caches hold memory in.
package enum CacheLines {
  private static let byteCount = 64

  /// Begins to fetch them, and does not wait. Any address will do, also one that is nobody's. O(lines).
  package static func fetch(_ start: UnsafeRawPointer, byteCount: Int) {
    var at = 0
    while at < byteCount {
      rlt_prefetch(start + at)
      at &+= CacheLines.byteCount
    }
  }
}
