/// The pass shapes of one block: which kinds follow each other in a pass is nearly always the same few
/// sequences, so a pass costs one byte before compression, and the decoder one copy.
///
/// Most passes are those before again: how long that goes on is found by comparing kinds with those a pass before, eight at
/// a time, without looking where a pass ends.
struct ShapeDictionary: ~Copyable {
  private static let words = EventBlockLayout.shapeLength / 8
  private static let slotCount = 1024

  // SAFETY: a shape has `words` words at `id * words`, zeros behind its kinds, and there are ids for 255 shapes. A pass
  // has an event at least. At most 255 of the slots are taken, so a search ends.
  private let shapes = Storage<UInt64>(256 * ShapeDictionary.words)
  private let slots = Storage<UInt8>(ShapeDictionary.slotCount)
  private let passes = Storage<UInt8>(EventBuffer.capacity)
  private var passCount = 0
  private(set) var lengths: [UInt8] = []
  /// Passes that no shape stands for: their lengths and kinds.
  private(set) var literals: [UInt8] = []

  /// By pass: its shape.
  var ids: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: passes.start, count: passCount) }

  /// Splits `count` kinds into shapes. They must be followed by `EventBlockLayout.shapeLength` readable bytes. O(count).
  mutating func split(_ kinds: UnsafePointer<UInt8>, count: Int) {
    begin()
    var at = 0
    while at < count {
      let kinds = kinds + at, rest = count &- at
      let length = ShapeDictionary.length(kinds, rest: rest)
      let id = id(of: kinds, length)
      // Each literal is stored.
      let equal =
        id == EventBlockLayout.literalShape ? 1 : ShapeDictionary.equalPasses(kinds, length, rest: rest)
      (passes.start + passCount).update(repeating: id, count: equal)
      passCount &+= equal
      at &+= equal &* length
    }
  }

  /// Events of the pass that begins here.
  private static func length(_ kinds: UnsafePointer<UInt8>, rest: Int) -> Int {
    let most = min(rest, EventBlockLayout.shapeLength)
    var length = 1
    while length < most, kinds[length] != EventBlockLayout.shapeStart { length &+= 1 }
    return length
  }

  /// How many passes equal the one that begins here and has so many events, itself among them.
  private static func equalPasses(_ kinds: UnsafePointer<UInt8>, _ length: Int, rest: Int) -> Int {
    let end = length &+ EqualBytes.length(kinds + length, kinds, most: rest &- length)
    let passes = end / length
    // The last one may go on with other kinds. All before it are followed by their own first kind.
    let last = passes &* length
    let isLastOver =
      last == rest || kinds[last] == EventBlockLayout.shapeStart || length == EventBlockLayout.shapeLength
    return isLastOver ? passes : passes &- 1
  }

  /// The `index`-th eight kinds of so many, zeros behind them.
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

  /// The id of a pass that is not the one before again.
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

  // MARK: What was split

  /// The kinds of a shape.
  func kinds(_ id: UInt8) -> UnsafeMutableBufferPointer<UInt8> {
    UnsafeMutableBufferPointer(
      start: UnsafeMutableRawPointer(shapes.start + Int(id) &* ShapeDictionary.words)
        .assumingMemoryBound(to: UInt8.self), count: Int(lengths[Int(id)]))
  }

  /// How often each kind occurs: of shapes, not of events.
  func count(into counts: UnsafeMutablePointer<Int>) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { uses in
      uses.initialize(repeating: 0)
      for id in ids { uses[Int(id)] &+= 1 }
      for id in lengths.indices { for kind in kinds(UInt8(id)) { counts[Int(kind)] &+= uses[id] } }
    }
    forEachLiteral { for kind in $0 { counts[Int(kind)] &+= 1 } }
  }

  /// Puts other ids for the kinds in all shapes and literals.
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

  /// Whether no pass has an end before its begin, so that the n-th end always comes behind the n-th begin.
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

  /// Hands out each pass, or run of equal ones: their kinds, and how many they are.
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
