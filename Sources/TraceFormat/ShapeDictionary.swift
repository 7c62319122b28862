/// The pass shapes of one block: which kinds follow each other in a pass is nearly always the same few
/// sequences, so a pass costs one byte before compression, and the decoder one copy.
struct ShapeDictionary {
  private(set) var lengths: [UInt8] = []
  private(set) var bytes: [UInt8] = []
  private(set) var ids: [UInt8] = []
  private(set) var literals: [UInt8] = []
  private var idOfHash: [UInt64: UInt8] = [:]
  private var starts: [Int] = []
  private var lastHash: UInt64 = 0
  private var lastID: UInt8 = EventBlockLayout.literalShape

  /// Splits `count` dense kinds into shapes. `start` is the dense id that begins one, or -1. O(count).
  mutating func encode(_ dense: UnsafePointer<UInt8>, count: Int, start: Int) {
    reset()
    var at = 0
    while at < count {
      var end = at + 1
      var hash = UInt64(dense[at]) &+ 0x9E37
      while end < count, Int(dense[end]) != start, end - at < EventBlockLayout.shapeLength {
        hash = (hash ^ UInt64(dense[end])) &* 0x0000_0100_0000_01B3
        end += 1
      }
      append(dense + at, length: end - at, hash: hash)
      at = end
    }
  }

  private mutating func append(_ shape: UnsafePointer<UInt8>, length: Int, hash: UInt64) {
    if hash == lastHash, lastID != EventBlockLayout.literalShape, isShape(lastID, shape, length) {
      ids.append(lastID)
      return
    }
    if let id = idOfHash[hash], isShape(id, shape, length) {
      ids.append(id)
      lastHash = hash
      lastID = id
    } else if lengths.count < EventBlockLayout.shapesMax, idOfHash[hash] == nil {
      let id = UInt8(lengths.count)
      idOfHash[hash] = id
      starts.append(bytes.count)
      lengths.append(UInt8(length))
      bytes.append(contentsOf: UnsafeBufferPointer(start: shape, count: length))
      ids.append(id)
      lastHash = hash
      lastID = id
    } else {
      // The dictionary is full, or two shapes share a hash.
      ids.append(EventBlockLayout.literalShape)
      literals.append(UInt8(length))
      literals.append(contentsOf: UnsafeBufferPointer(start: shape, count: length))
    }
  }

  private func isShape(_ id: UInt8, _ shape: UnsafePointer<UInt8>, _ length: Int) -> Bool {
    guard Int(lengths[Int(id)]) == length else { return false }
    let start = starts[Int(id)]
    return bytes.withUnsafeBufferPointer { known in
      for i in 0..<length where known[start &+ i] != shape[i] { return false }
      return true
    }
  }

  private mutating func reset() {
    lengths.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    ids.removeAll(keepingCapacity: true)
    literals.removeAll(keepingCapacity: true)
    idOfHash.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    lastID = EventBlockLayout.literalShape
  }
}
