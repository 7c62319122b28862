/// The order of a block's events: the shape of each pass, and literals.
///
/// Most passes repeat an earlier one. Consecutive passes of one shape form a *run*. The codes of a run repeat one
/// pattern, and the events of each of its kinds are adjacent in the kind's columns.
struct EventOrder: ~Copyable {
  /// The sequence of kinds in some of a block's passes.
  struct Shape {
    /// 0: the shape does not exist.
    var length = 0
    /// The number of events in as many whole passes as fit into a pattern.
    var step = 0
    /// Whether the shape has at least `tile` kinds, none of them twice. Then each event of a pass has a column of its
    /// own.
    var isTiled = false
    /// The number of passes with this shape.
    var uses = 0
  }

  /// At least `tile` consecutive passes of one tiled shape.
  struct Run {
    /// The index of its first event.
    var start: Int
    var passes: Int
    var id: Int
  }

  /// The number of kinds, and of passes, that are transposed at a time.
  private static let tile = 4
  private typealias Pattern = SIMD32<UInt8>
  private static let width = EventBlockLayout.shapeLength

  /// The number of bytes after the kinds and modes of a block that wide stores may overrun.
  static let overrun = EventOrder.width

  // SAFETY: There are 256 ids. Each has a shape and a pattern, which repeats the codes of its kinds. There is room
  // for one more pattern after them. There are 256 codes. A run has at least `tile * tile` events.
  private let shapes = Storage<Shape>(256)
  private let patterns = Storage<UInt8>((256 + 1) * EventOrder.width)
  private let runs = Storage<Run>(TraceLimits.eventsPerBlock / (EventOrder.tile * EventOrder.tile))
  private var runCount = 0
  /// The number of events, by code.
  private let counts = Storage<Int>(256)

  // MARK: Reading

  /// Reads the order of `count` events from a block's first four columns, and writes the codes of their kinds.
  ///
  /// `out` must have room for `overrun` more.
  mutating func read(
    _ columns: [UnsafeRawBufferPointer], _ directory: [KindDirectoryEntry], count: Int,
    kinds out: UnsafeMutablePointer<UInt8>
  ) throws(PayloadError) {
    let lengths = columns[0], bytes = columns[1]
    guard lengths.count <= EventBlockLayout.shapesMax else { throw .limit("more than 255 shapes") }
    guard bytes.allSatisfy({ Int($0) < directory.count }) else {
      throw .malformed("a shape names an unknown kind")
    }
    let total = lengths.reduce(0) { $0 + Int($1) }
    guard total == bytes.count, lengths.allSatisfy({ $0 > 0 && Int($0) <= EventOrder.width }) else {
      throw .malformed("shape lengths contradict the shapes")
    }
    let codes = directory.map(\.code)
    readShapes(lengths, bytes, codes)
    counts.start.initialize(repeating: 0, count: 256)
    guard expand(columns[2], columns[3], codes, count: count, into: out) == count else {
      throw .malformed("shapes do not make up \(count) events")
    }
    for (id, length) in lengths.enumerated() {
      let kinds = patterns.start + id * EventOrder.width
      for place in 0..<Int(length) { counts[Int(kinds[place])] &+= shapes[id].uses }
    }
  }

  private func readShapes(
    _ lengths: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer, _ codes: [UInt8]
  ) {
    shapes.start.initialize(repeating: Shape(), count: 256)
    var at = 0
    for (id, length) in lengths.enumerated() {
      let length = Int(length)
      let pattern = patterns.start + id * EventOrder.width
      // A bit for each kind. With more than 64 kinds, two may share a bit; then a shape may seem to have a kind
      // twice.
      var seen: UInt64 = 0
      for place in 0..<length {
        let kind = bytes[at &+ place]
        seen |= 1 &<< UInt64(kind)
        pattern[place] = codes[Int(kind)]
      }
      // Each store doubles the number of passes in the pattern. The last store may overrun into the next pattern,
      // which is written later.
      let stored = UnsafeMutableRawPointer(pattern)
      var filled = length
      while filled < EventOrder.width {
        stored.storeBytes(of: stored.loadUnaligned(as: Pattern.self), toByteOffset: filled, as: Pattern.self)
        filled &*= 2
      }
      shapes[id] = Shape(
        length: length, step: EventOrder.width / length * length,
        isTiled: length >= EventOrder.tile && seen.nonzeroBitCount == length)
      at += length
    }
  }

  /// Writes the codes of all kinds and notes the runs. Returns the number of events written; any other number than
  /// `count` means a damaged payload.
  private mutating func expand(
    _ ids: UnsafeRawBufferPointer, _ literals: UnsafeRawBufferPointer, _ codes: [UInt8], count: Int,
    into out: UnsafeMutablePointer<UInt8>
  ) -> Int {
    runCount = 0
    guard let first = ids.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
    let shapes = shapes.start, patterns = UnsafeRawPointer(patterns.start)
    var at = 0
    var literal = 0
    var pass = 0
    while pass < ids.count {
      let id = Int(first[pass])
      let shape = shapes + id
      let length = shape.pointee.length
      guard length > 0 else {
        guard id == EventBlockLayout.literalShape,
          let taken = expandLiteral(literals, at: literal, codes, room: count - at, into: out + at)
        else { return -1 }
        literal += 1 + taken
        at += taken
        pass += 1
        continue
      }
      // SAFETY: Each pattern is stored at an event of the block, so it stays within `overrun`.
      let pattern = patterns.loadUnaligned(fromByteOffset: id &* EventOrder.width, as: Pattern.self)
      if EventOrder.isRun(first, pass, of: ids.count) {
        let passes = EqualBytes.lengthOfRun(first + pass, most: ids.count &- pass)
        guard at &+ passes &* length <= count else { return -1 }
        EventOrder.fill(out, at, at &+ passes &* length, pattern, step: shape.pointee.step)
        if shape.pointee.isTiled {
          runs[runCount] = Run(start: at, passes: passes, id: id)
          runCount &+= 1
        }
        shape.pointee.uses &+= passes
        at &+= passes &* length
        pass &+= passes
      } else {
        guard at &+ length <= count else { return -1 }
        UnsafeMutableRawPointer(out).storeBytes(of: pattern, toByteOffset: at, as: Pattern.self)
        shape.pointee.uses &+= 1
        at &+= length
        pass &+= 1
      }
    }
    return at
  }

  /// Writes the codes of one literal and counts them. Returns their number; nil means a damaged payload.
  private func expandLiteral(
    _ literals: UnsafeRawBufferPointer, at: Int, _ codes: [UInt8], room: Int,
    into out: UnsafeMutablePointer<UInt8>
  ) -> Int? {
    guard at < literals.count else { return nil }
    let length = Int(literals[at])
    guard length > 0, at + 1 + length <= literals.count, length <= room else { return nil }
    for place in 0..<length {
      let kind = Int(literals[at + 1 + place])
      guard kind < codes.count else { return nil }
      out[place] = codes[kind]
      counts[Int(codes[kind])] &+= 1
    }
    return length
  }

  /// Returns whether the next `tile` passes have one shape.
  @inline(__always)
  private static func isRun(_ ids: UnsafePointer<UInt8>, _ pass: Int, of count: Int) -> Bool {
    pass &+ tile <= count
      && UnsafeRawPointer(ids + pass).loadUnaligned(as: UInt32.self) == UInt32(ids[pass]) &* 0x0101_0101
  }

  /// Fills the bytes from `start` to `end`, and up to `overrun` more, with a pattern that is stored every `step`
  /// bytes.
  @inline(__always)
  static func fill(
    _ out: UnsafeMutablePointer<UInt8>, _ start: Int, _ end: Int, _ pattern: SIMD32<UInt8>, step: Int
  ) {
    let out = UnsafeMutableRawPointer(out)
    var at = start
    while at < end {
      out.storeBytes(of: pattern, toByteOffset: at, as: SIMD32<UInt8>.self)
      at &+= step
    }
  }

  // MARK: Merging

  /// Returns whether the order has as many events of each kind as the directory states.
  func agrees(with directory: [KindDirectoryEntry]) -> Bool {
    directory.allSatisfy { counts[Int($0.code)] == $0.count }
  }

  /// The values of the events, kind by kind.
  struct Columns {
    let deltas: UnsafePointer<UInt32>
    let objects: UnsafePointer<UInt32>
    /// The position of a kind's next event in both columns, by code.
    let cursors: UnsafeMutablePointer<Int>
  }

  /// Puts the values of the kinds' columns into the order of events. The columns must agree with the order, and
  /// `kinds` must be those that `read` wrote.
  func merge(
    _ columns: Columns, _ kinds: UnsafePointer<UInt8>, count: Int, deltas: UnsafeMutablePointer<UInt64>,
    objects: UnsafeMutablePointer<UInt32>
  ) {
    // SAFETY: The runs lie within the `count` events. Each kind has as many events as values in its columns.
    var at = 0
    for index in 0..<runCount {
      let run = runs[index]
      let length = shapes[run.id].length
      EventOrder.mergeEvents(columns, kinds, at, run.start, deltas, objects)
      EventOrder.mergeRun(
        columns, kinds + run.start, length, run.passes, deltas + run.start, objects + run.start)
      at = run.start &+ run.passes &* length
    }
    EventOrder.mergeEvents(columns, kinds, at, count, deltas, objects)
  }

  /// Takes the values of each event from its kind's columns.
  @inline(__always)
  private static func mergeEvents(
    _ columns: Columns, _ kinds: UnsafePointer<UInt8>, _ from: Int, _ to: Int,
    _ deltas: UnsafeMutablePointer<UInt64>, _ objects: UnsafeMutablePointer<UInt32>
  ) {
    var i = from
    while i != to {
      let kind = Int(kinds[i])
      let at = columns.cursors[kind]
      columns.cursors[kind] = at &+ 1
      deltas[i] = UInt64(columns.deltas[at])
      objects[i] = columns.objects[at]
      i &+= 1
    }
  }

  /// Merges a run: four columns at a time become four events of each pass.
  @inline(never)
  private static func mergeRun(
    _ columns: Columns, _ kinds: UnsafePointer<UInt8>, _ length: Int, _ passes: Int,
    _ deltas: UnsafeMutablePointer<UInt64>, _ objects: UnsafeMutablePointer<UInt32>
  ) {
    var next = 0
    while next < length {
      // The last four kinds may overlap those before.
      let place = min(next, length &- tile)
      turn(columns, columns.deltas, kinds + place, passes, deltas + place, length) { row, values in
        UnsafeMutableRawPointer(row).storeBytes(
          of: SIMD4(truncatingIfNeeded: values), as: SIMD4<UInt64>.self)
      }
      turn(columns, columns.objects, kinds + place, passes, objects + place, length) { row, values in
        UnsafeMutableRawPointer(row).storeBytes(of: values, as: SIMD4<UInt32>.self)
      }
      next &+= tile
    }
    for place in 0..<length { columns.cursors[Int(kinds[place])] &+= passes }
  }

  /// Transposes the columns of four kinds: four values of each become part of four passes, `length` apart. The last
  /// four passes may overlap those before.
  @inline(__always)
  private static func turn<Value>(
    _ columns: Columns, _ values: UnsafePointer<UInt32>, _ kinds: UnsafePointer<UInt8>, _ passes: Int,
    _ rows: UnsafeMutablePointer<Value>, _ length: Int,
    _ store: (UnsafeMutablePointer<Value>, SIMD4<UInt32>) -> Void
  ) {
    let a = values + columns.cursors[Int(kinds[0])], b = values + columns.cursors[Int(kinds[1])]
    let c = values + columns.cursors[Int(kinds[2])], d = values + columns.cursors[Int(kinds[3])]
    @inline(__always) func turnFour(_ pass: Int, _ row: UnsafeMutablePointer<Value>) {
      let ab = pairs(a + pass, b + pass), cd = pairs(c + pass, d + pass)
      store(row, SIMD4(lowHalf: ab.0.lowHalf, highHalf: cd.0.lowHalf))
      store(row + length, SIMD4(lowHalf: ab.0.highHalf, highHalf: cd.0.highHalf))
      store(row + 2 &* length, SIMD4(lowHalf: ab.1.lowHalf, highHalf: cd.1.lowHalf))
      store(row + 3 &* length, SIMD4(lowHalf: ab.1.highHalf, highHalf: cd.1.highHalf))
    }
    let whole = passes & ~(tile &- 1)
    var pass = 0
    var row = rows
    while pass != whole {
      turnFour(pass, row)
      pass &+= tile
      row += tile &* length
    }
    if whole != passes { turnFour(passes &- tile, rows + (passes &- tile) &* length) }
  }

  /// Interleaves four values of both, so that those of one pass are adjacent.
  @inline(__always)
  private static func pairs(
    _ a: UnsafePointer<UInt32>, _ b: UnsafePointer<UInt32>
  ) -> (SIMD4<UInt32>, SIMD4<UInt32>) {
    let a = UnsafeRawPointer(a).loadUnaligned(as: SIMD4<UInt32>.self)
    let b = UnsafeRawPointer(b).loadUnaligned(as: SIMD4<UInt32>.self)
    return (SIMD4(a[0], b[0], a[1], b[1]), SIMD4(a[2], b[2], a[3], b[3]))
  }
}
