/// The object dictionaries of one block, one per kind: object → 1 + index in order of first appearance.
///
/// Open addressing in one table for all kinds; only touched slots are cleared between blocks.
struct ObjectDictionary: ~Copyable {
  private static let slotCount = 1 << 17
  // SAFETY: every access is masked to `slotCount`. A block adds at most 65,536 keys, so the probe ends.
  private let keys = Storage<UInt64>(repeating: 0, count: ObjectDictionary.slotCount)
  private let values = Storage<UInt32>(ObjectDictionary.slotCount)
  private var touched: [Int] = []
  private(set) var objects: [[UInt32]] = []

  mutating func begin(kinds: Int) {
    for slot in touched { keys[slot] = 0 }
    touched.removeAll(keepingCapacity: true)
    objects = Array(repeating: [], count: kinds)
  }

  /// The code of `object` in the dictionary of the kind at `kind`. Amortised O(1).
  @inline(__always)
  mutating func code(kind: Int, object: UInt32) -> UInt32 {
    let key = UInt64(truncatingIfNeeded: kind &+ 1) &<< 32 | UInt64(object)
    var slot = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> 47)
    while true {
      let found = keys[slot]
      if found == key { return values[slot] }
      if found == 0 { break }
      slot = (slot &+ 1) & (ObjectDictionary.slotCount &- 1)
    }
    objects[kind].append(object)
    let value = UInt32(objects[kind].count)
    keys[slot] = key
    values[slot] = value
    touched.append(slot)
    return value
  }
}
