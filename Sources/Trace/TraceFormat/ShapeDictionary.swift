/// The pass shapes of one block. The kinds of nearly all passes form one of a few sequences. So a pass takes one byte
/// before compression, and the decoder copies it in one step.
///
/// Most passes repeat the previous one. The length of a repetition is found by comparing kinds with those one pass
/// earlier, many at a time, without looking for the ends of passes.
struct ShapeDictionary: ~Copyable {
  private static let words = EventBlockLayout.shapeLength / 8
  private static let slotCount = 1024

  // SAFETY: A shape has `words` words at `id * words`, with zeros after its kinds, and there is room for 256 shapes.
  // A pass has at least one event. At most 255 of the slots are taken, so a search ends.
  private let shapes = Storage<UInt64>(256 * ShapeDictionary.words)
  private let slots = Storage<UInt8>(ShapeDictionary.slotCount)
  private let passes = Storage<UInt8>(EventBuffer.capacity)
  private var passCount = 0
  private(set) var lengths: [UInt8] = []
  /// The passes without a shape: their lengths and kinds.
  private(set) var literals: [UInt8] = []

  /// The shape id of each pass.
  var ids: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: passes.start, count: passCount) }

  /// Splits `count` kinds into shapes. At least `EventBlockLayout.shapeLength` readable bytes must follow them.
  /// O(count).
  mutating func split(_ kinds: UnsafePointer<UInt8>, count: Int) {
    begin()
    var at = 0
    while at < count {
      let kinds = kinds + at, rest = count &- at
      let length = ShapeDictionary.length(kinds, rest: rest)
      let id = id(of: kinds, length)
      // Literals are stored one by one.
      let equal =
        id == EventBlockLayout.literalShape ? 1 : ShapeDictionary.equalPasses(kinds, length, rest: rest)
      (passes.start + passCount).update(repeating: id, count: equal)
      passCount &+= equal
      at &+= equal &* length
    }
  }

  /// Returns the number of events in the pass that begins here.
  private static func length(_ kinds: UnsafePointer<UInt8>, rest: Int) -> Int {
    let most = min(rest, EventBlockLayout.shapeLength)
    var length = 1
    while length < most, kinds[length] != EventBlockLayout.shapeStart { length &+= 1 }
    return length
  }

  /// Returns how many passes in a row equal the one of `length` events that begins here, including that one.
  private static func equalPasses(_ kinds: UnsafePointer<UInt8>, _ length: Int, rest: Int) -> Int {
    let end = length &+ EqualBytes.length(kinds + length, kinds, most: rest &- length)
    let passes = end / length
    // The last pass may continue with other kinds. Each pass before it is followed by its own first kind.
    let last = passes &* length
    let isLastOver =
      last == rest || kinds[last] == EventBlockLayout.shapeStart || length == EventBlockLayout.shapeLength
    return isLastOver ? passes : passes &- 1
  }

  /// Returns eight of `length` kinds from `8 * index` on, with zeros after the last.
  @inline(__always)
  private static func word(_ kinds: UnsafePointer<UInt8>, _ length: Int, _ index: Int) -> UInt64 {
    let word = UInt64(littleEndian: UnsafeRawPointer(kinds + 8 * index).loadUnaligned(as: UInt64.self))
    let kept = length &- 8 &* index
    return kept >= 8 ? word : word & ((1 &<< UInt64(truncatingIfNeeded: 8 &* kept)) &- 1)
  }

  @inline(__always)
  private func isShape(_ id: UInt8, _ kinds: UnsafePointer<UInt8>, _ length: Int) -> Bool {
    let shape = shapes.start + Int(id) &* ShapeDictionary.words
    var index = 0
    while 8 &* index < length {
      if ShapeDictionary.word(kinds, length, index) != UInt64(littleEndian: shape[index]) {
        return false
      }
      index &+= 1
    }
    return true
  }

  /// Returns the id of a pass that does not repeat the previous one, and adds its shape if it is new.
  @inline(never)
  private mutating func id(of kinds: UnsafePointer<UInt8>, _ length: Int) -> UInt8 {
    var hash = UInt64(truncatingIfNeeded: length)
    for index in 0..<(length + 7) / 8 {
      hash = (hash ^ ShapeDictionary.word(kinds, length, index)) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash &>> 32
    }
    var slot = Int(truncatingIfNeeded: hash) & (ShapeDictionary.slotCount - 1)
    while slots[slot] != EventBlockLayout.literalShape {
      let id = slots[slot]
      if Int(lengths[Int(id)]) == length, isShape(id, kinds, length) { return id }
      slot = (slot &+ 1) & (ShapeDictionary.slotCount - 1)
    }
    guard lengths.count < EventBlockLayout.shapesMax else {
      literals.append(UInt8(length))
      literals.append(contentsOf: UnsafeBufferPointer(start: kinds, count: length))
      return EventBlockLayout.literalShape
    }
    let id = UInt8(lengths.count)
    for index in 0..<ShapeDictionary.words {
      shapes[Int(id) * ShapeDictionary.words + index] =
        8 * index < length ? ShapeDictionary.word(kinds, length, index).littleEndian : 0
    }
    slots[slot] = id
    lengths.append(UInt8(length))
    return id
  }

  private mutating func begin() {
    passCount = 0
    lengths.removeAll(keepingCapacity: true)
    literals.removeAll(keepingCapacity: true)
    slots.start.initialize(repeating: EventBlockLayout.literalShape, count: ShapeDictionary.slotCount)
  }

  // MARK: The result

  /// Returns the kinds of a shape.
  func kinds(_ id: UInt8) -> UnsafeMutableBufferPointer<UInt8> {
    UnsafeMutableBufferPointer(
      start: UnsafeMutableRawPointer(shapes.start + Int(id) &* ShapeDictionary.words)
        .assumingMemoryBound(to: UInt8.self), count: Int(lengths[Int(id)]))
  }

  /// Counts the events of each kind, shape by shape instead of event by event.
  func count(into counts: UnsafeMutablePointer<Int>) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { uses in
      uses.initialize(repeating: 0)
      for id in ids { uses[Int(id)] &+= 1 }
      for id in lengths.indices { for kind in kinds(UInt8(id)) { counts[Int(kind)] &+= uses[id] } }
    }
    forEachLiteral { for kind in $0 { counts[Int(kind)] &+= 1 } }
  }

  /// Replaces each kind in all shapes and literals by its entry in `ids`.
  mutating func translate(_ ids: UnsafePointer<UInt8>) {
    for id in lengths.indices {
      let kinds = kinds(UInt8(id))
      for i in kinds.indices { kinds[i] = ids[Int(kinds[i])] }
    }
    var at = 0
    while at < literals.count {
      let end = at + Int(literals[at])
      for i in at + 1..<end + 1 { literals[i] = ids[Int(literals[i])] }
      at = end + 1
    }
  }

  /// Returns whether no pass has an end event before its begin event, so that the n-th end always follows the n-th
  /// beginning. False when there are literals.
  func hasBeginsFirst(begin: UInt8, end: UInt8) -> Bool {
    lengths.indices.allSatisfy { id in
      var open = 0
      return kinds(UInt8(id)).allSatisfy { kind in
        open += kind == begin ? 1 : kind == end ? -1 : 0
        return open >= 0
      }
    } && literals.isEmpty
  }

  private func forEachLiteral(_ body: (Slice<UnsafeBufferPointer<UInt8>>) -> Void) {
    literals.withUnsafeBufferPointer { literals in
      var at = 0
      while at < literals.count {
        let end = at + 1 + Int(literals[at])
        body(literals[(at + 1)..<end])
        at = end
      }
    }
  }

  /// Calls `body` with each pass, or run of equal passes: their kinds and their number.
  @inline(__always)
  func forEachRun(_ body: (_ kinds: UnsafeBufferPointer<UInt8>, _ passes: Int) -> Void) {
    literals.withUnsafeBufferPointer { literals in
      var literal = 0
      var at = 0
      while at < passCount {
        let id = passes[at]
        if id == EventBlockLayout.literalShape {
          let count = Int(literals[literal])
          body(UnsafeBufferPointer(rebasing: literals[(literal + 1)...].prefix(count)), 1)
          literal += 1 + count
          at &+= 1
        } else {
          let equal = EqualBytes.lengthOfRun(passes.start + at, most: passCount &- at)
          body(UnsafeBufferPointer(kinds(id)), equal)
          at &+= equal
        }
      }
    }
  }
}
