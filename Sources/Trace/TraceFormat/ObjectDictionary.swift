/// The object dictionaries of one block, one per kind: object → 1 + index in order of first appearance.
///
/// One table with open addressing serves all kinds. Only touched slots are cleared between blocks.
struct ObjectDictionary: ~Copyable {
  private static let slotCount = 1 << 17
  // SAFETY: Every access is masked to `slotCount`. A block adds at most 65,536 keys, so each probe ends.
  private let keys = Storage<UInt64>(zeroed: ObjectDictionary.slotCount)
  private let values = Storage<UInt32>(ObjectDictionary.slotCount)
  private var touched: [Int] = []
  private(set) var objects: [[UInt32]] = []

  mutating func begin(kinds: Int) {
    for slot in touched { keys[slot] = 0 }
    touched.removeAll(keepingCapacity: true)
    objects = Array(repeating: [], count: kinds)
  }

  /// Returns the code of `object` in the dictionary of the kind at `kind`. Amortised O(1).
  @inline(__always)
  mutating func code(kind: Int, object: UInt32) -> UInt32 {
    let key = UInt64(truncatingIfNeeded: kind &+ 1) &<< 32 | UInt64(object)
    var slot = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> 47)
    while keys[slot] != key {
      if keys[slot] == 0 { return add(object, kind: kind, key, at: slot) }
      slot = (slot &+ 1) & (ObjectDictionary.slotCount &- 1)
    }
    return values[slot]
  }

  /// Writes the codes of `count` objects of a kind, 0 for those that are as predicted.
  mutating func encode(
    _ objects: UnsafePointer<UInt32>, predicted: UnsafePointer<UInt32>, count: Int, kind: Int,
    codes: UnsafeMutablePointer<UInt32>
  ) {
    var i = 0
    while i < count {
      let end = min(i &+ 8, count)
      // Eight objects that are all as predicted are handled at once.
      if end &- i == 8 {
        let a = UnsafeRawPointer(objects + i).loadUnaligned(as: SIMD4<UInt64>.self)
        let b = UnsafeRawPointer(predicted + i).loadUnaligned(as: SIMD4<UInt64>.self)
        let changes = a ^ b
        if changes[0] | changes[1] | changes[2] | changes[3] == 0 {
          UnsafeMutableRawPointer(codes + i).storeBytes(of: changes, as: SIMD4<UInt64>.self)
          i = end
          continue
        }
      }
      while i < end {
        codes[i] = objects[i] == predicted[i] ? 0 : code(kind: kind, object: objects[i])
        i &+= 1
      }
    }
  }

  @inline(never)
  private mutating func add(_ object: UInt32, kind: Int, _ key: UInt64, at slot: Int) -> UInt32 {
    objects[kind].append(object)
    let value = UInt32(objects[kind].count)
    keys[slot] = key
    values[slot] = value
    touched.append(slot)
    return value
  }
}
