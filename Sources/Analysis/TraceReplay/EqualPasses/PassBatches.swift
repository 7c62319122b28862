/// How a thread replays plain passes in batches. docs/explanation/equal-passes.md describes where, and what it saves.
struct PassBatches: ~Copyable {
  var areUsed: Bool
  var shapes: PassShapes
  /// Room for the lengths of one batch.
  var lengths = BucketedLengths()
  /// The number of events that were replayed in batches.
  var events: UInt64 = 0

  init(areUsed: Bool, _ shapes: borrowing Rows<PassShape>) {
    self.areUsed = areUsed
    self.shapes = PassShapes(shapes)
  }
}
