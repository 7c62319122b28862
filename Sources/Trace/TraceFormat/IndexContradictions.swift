/// The places where an index and the blocks that it lists contradict each other.
///
/// Readers use a block's own header, so no result depends on such an index.
package struct IndexContradictions: Equatable, Sendable {
  package struct One: Equatable, Sendable {
    /// The number of the block, or of the entry that lists no block.
    package var block: Int
    /// The offset of the block, or the offset that the entry gives.
    package var offset: UInt64
    package var what: String
  }

  /// The first contradictions, in file order.
  package private(set) var list: [One] = []
  package private(set) var count = 0

  private static let listed = 1000

  private mutating func add(_ block: Int, _ offset: UInt64, _ what: @autoclosure () -> String) {
    count += 1
    if list.count < IndexContradictions.listed {
      list.append(One(block: block, offset: offset, what: what()))
    }
  }

  /// Compares an entry with the block at its offset.
  mutating func compare(_ entry: BlockEntry, with block: BlockEntry, block number: Int) {
    let fields: [(name: String, index: UInt64, block: UInt64)] = [
      ("type", UInt64(entry.type.rawValue), UInt64(block.type.rawValue)),
      ("thread", UInt64(entry.thread), UInt64(block.thread)),
      ("count", UInt64(entry.count), UInt64(block.count)),
      ("first time", entry.first, block.first),
      ("last time", entry.last, block.last),
      ("payload length", UInt64(entry.payloadBytes), UInt64(block.payloadBytes)),
    ]
    let wrong = fields.filter { $0.index != $0.block }
    guard !wrong.isEmpty else { return }
    let details = wrong.map { "\($0.name) \($0.index) where the block has \($0.block)" }
    add(number, block.offset, "the index contradicts the block: \(details.joined(separator: ", "))")
  }

  /// Compares all entries of the index, in their order, with the blocks found by walking over the file. Compares
  /// nothing when no index was found.
  mutating func compare(_ entries: [BlockEntry], with blocks: [BlockEntry]) {
    guard !entries.isEmpty else { return }
    for (number, (former, next)) in zip(entries, entries.dropFirst()).enumerated()
    where former.offset > next.offset {
      add(number + 1, next.offset, "the index lists the block after one that follows it in the file")
    }
    let entries = entries.sorted { $0.offset < $1.offset }
    var at = 0
    for (number, block) in blocks.enumerated() {
      while at < entries.count, entries[at].offset < block.offset {
        add(number, entries[at].offset, "the index lists a block where none was found")
        at += 1
      }
      guard at < entries.count, entries[at].offset == block.offset else {
        add(number, block.offset, "the index does not list the block")
        continue
      }
      compare(entries[at], with: block, block: number)
      at += 1
      while at < entries.count, entries[at].offset == block.offset {
        add(number, block.offset, "the index lists the block more than once")
        at += 1
      }
    }
    for entry in entries[at...] {
      add(blocks.count, entry.offset, "the index lists a block where none was found")
    }
  }
}
