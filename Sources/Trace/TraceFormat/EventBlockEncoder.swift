/// Encodes events of one thread into the payload of an event block. Deterministic: the same events and codec give the
/// same bytes.
///
/// 1. Split the sequence of kinds into shapes. This also counts the kinds, which fixes where each kind's column
///    begins.
/// 2. Scatter deltas and objects into columns by kind, one pass after the other. Find mode runs and jumps.
/// 3. Process the columns: predict objects, split deltas into codes and low bits, compress.
final class EventBlockEncoder {
  private let codec: any BlockCodec
  private var dictionary = ObjectDictionary()
  private var shapes = ShapeDictionary()
  // SAFETY: The scratch columns hold one element for each event of a full block. `dense` and `cursors` have an
  // element for every code.
  let flatDeltas = Storage<UInt32>(EventBuffer.capacity)
  private let deltas = Storage<UInt32>(EventBuffer.capacity)
  private let objects = Storage<UInt32>(EventBuffer.capacity)
  private let objectCodes = Storage<UInt32>(EventBuffer.capacity)
  private let codes = Storage<UInt8>(EventBuffer.capacity)
  private let bits = Storage<UInt8>(WideColumn.bitsBound(EventBuffer.capacity))
  /// The index of a kind in the directory, by its code.
  private let dense = Storage<UInt8>(repeating: 0, count: 256)
  /// The position of a kind's next event, by its index in the directory.
  private let cursors = Storage<Int>(repeating: 0, count: 256)
  private(set) var modeRuns = ByteWriter()
  private(set) var jumps = ByteWriter()
  private var columns = ColumnSink()

  /// The number of events in a piece. A piece is read more than once, so it is small enough to stay in the first-level
  /// cache.
  private static let piece = 1024
  /// With fewer equal passes than this, splitting them as a batch costs more than splitting them one by one.
  private static let fewPasses = 4

  init(codec: any BlockCodec) { self.codec = codec }

  /// Returns the payload for the events of `buffer`, which must hold at least one, after `room` bytes.
  func encode(_ buffer: EventBuffer, room: Int = 0) -> [UInt8] {
    shapes.split(buffer.kinds, count: buffer.count)
    var directory = countKinds()
    findModeRuns(buffer)
    findDeltas(buffer)
    scatter(buffer)
    dictionary.begin(kinds: directory.count)
    encodeObjects(buffer, &directory)
    columns.begin(codec)
    putShapes()
    columns.put(modeRuns.bytes)
    columns.put(jumps.bytes)
    putDictionaries(directory)
    let arguments = ArgumentColumns(buffer, dense: dense.start, directory: &directory)
    for (index, entry) in directory.enumerated() {
      putDeltas(entry)
      putObjectCodes(entry)
      putArguments(arguments, index)
    }
    putUpperBytes(directory)
    return assemble(directory, room: room)
  }

  // MARK: Passes over the events

  /// Returns the directory, and sets `dense` and `cursors` for its kinds.
  private func countKinds() -> [KindDirectoryEntry] {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { counts in
      counts.initialize(repeating: 0)
      shapes.count(into: counts.baseAddress!)
      var directory: [KindDirectoryEntry] = []
      var start = 0
      for code in 0..<256 where counts[code] > 0 {
        dense[code] = UInt8(directory.count)
        cursors[directory.count] = start
        directory.append(KindDirectoryEntry(code: UInt8(code), start: start, count: counts[code]))
        start += counts[code]
      }
      shapes.translate(dense.start)
      return directory
    }
  }

  func findModeRuns(_ buffer: EventBuffer) {
    modeRuns.removeAll()
    let modes = buffer.modes
    var start = 0
    var last = 0
    while start < buffer.count {
      modeRuns.appendVarint(start - last)
      modeRuns.append(modes[start])
      last = start
      start &+= EqualBytes.lengthOfRun(modes + start, most: buffer.count &- start)
    }
  }

  /// Writes the differences between successive times, 0 for a jump.
  @inline(never)
  func findDeltas(_ buffer: EventBuffer) {
    jumps.removeAll()
    let times = buffer.times, flat = flatDeltas.start
    var lastJump = 0
    flat[0] = 0
    var at = 1
    while at < buffer.count {
      let end = min(at &+ EventBlockEncoder.piece, buffer.count)
      // If the bitwise OR of all deltas is small, each delta is small. Otherwise the deltas are checked one by one.
      var all: UInt64 = 0
      for i in at..<end {
        let delta = times[i] &- times[i &- 1]
        all |= delta
        flat[i] = UInt32(truncatingIfNeeded: delta)
      }
      if all >= TraceLimits.deltaUnits {
        for i in at..<end where times[i] &- times[i &- 1] >= TraceLimits.deltaUnits {
          jumps.appendVarint(i - lastJump)
          jumps.appendVarint(times[i] &- times[i &- 1])
          lastJump = i
          flat[i] = 0
        }
      }
      at = end
    }
  }

  /// Fills the columns of deltas and objects, by kind.
  @inline(never)
  private func scatter(_ buffer: EventBuffer) {
    let deltas = deltas.start, objects = objects.start, cursors = cursors.start
    var flat = UnsafePointer(flatDeltas.start), seen = UnsafePointer(buffer.objects)
    shapes.forEachRun { kinds, passes in
      var left = passes
      while left >= EventBlockEncoder.fewPasses {
        // Pieces stay in the first-level cache: they are read once for each position in a pass.
        let some = min(left, EventBlockEncoder.piece / kinds.count)
        guard let piece = PassColumns(kinds, passes: some, cursors: cursors) else { break }
        piece.fill(deltas, from: flat)
        piece.fill(objects, from: seen)
        for kind in kinds { cursors[Int(kind)] &+= some }
        flat += some &* kinds.count
        seen += some &* kinds.count
        left &-= some
      }
      for _ in 0..<left {
        for place in 0..<kinds.count {
          let kind = Int(kinds[place])
          let at = cursors[kind]
          cursors[kind] = at &+ 1
          deltas[at] = flat[place]
          objects[at] = seen[place]
        }
        flat += kinds.count
        seen += kinds.count
      }
    }
  }

  // MARK: Objects

  /// Encodes all objects; code 0 = as predicted.
  private func encodeObjects(_ buffer: EventBuffer, _ directory: inout [KindDirectoryEntry]) {
    for (kind, entry) in directory.enumerated() {
      if EventTable.isPredictedByBegin(entry.code), kind > 0, directory[kind - 1].code == entry.code - 1 {
        let begins = directory[kind - 1]
        // fits: the kind is above 0
        if shapes.hasBeginsFirst(begin: UInt8(kind - 1), end: UInt8(kind)) {
          encodeEnds(entry, begins, kind)
        } else {
          directory[kind].unmatched = encodeUnorderedEnds(entry, begins, kind, buffer)
        }
      } else {
        encodeRepeated(entry, kind)
      }
      directory[kind].objects = dictionary.objects[kind].count
    }
  }

  /// Encodes the objects of a kind, each predicted to be the previous one.
  private func encodeRepeated(_ entry: KindDirectoryEntry, _ kind: Int) {
    let objects = objects.start + entry.start, codes = objectCodes.start + entry.start
    codes[0] = objects[0] == 0 ? 0 : dictionary.code(kind: kind, object: objects[0])
    dictionary.encode(objects + 1, predicted: objects, count: entry.count - 1, kind: kind, codes: codes + 1)
  }

  /// Encodes the objects of end events. Each is predicted to be the object of the begin event with the same ordinal,
  /// which must precede it.
  private func encodeEnds(_ entry: KindDirectoryEntry, _ begins: KindDirectoryEntry, _ kind: Int) {
    dictionary.encode(
      objects.start + entry.start, predicted: objects.start + begins.start, count: entry.count,
      kind: kind, codes: objectCodes.start + entry.start)
  }

  /// Encodes the objects of end events that may precede their begin events. An end that does is never coded as
  /// predicted, because the decoder already has all begin events. Returns the number of end events before the first
  /// begin event; ordinals are counted after them.
  private func encodeUnorderedEnds(
    _ entry: KindDirectoryEntry, _ begins: KindDirectoryEntry, _ kind: Int, _ buffer: EventBuffer
  ) -> Int {
    let objects = objects.start + entry.start, codes = objectCodes.start + entry.start
    let begun = self.objects.start + begins.start
    let kinds = buffer.kinds
    var began = 0
    var ordinal = 0
    var unmatched = 0
    for i in 0..<buffer.count {
      if kinds[i] == begins.code { began &+= 1 }
      guard kinds[i] == entry.code else { continue }
      if began == 0 { unmatched = ordinal &+ 1 }
      let match = ordinal &- unmatched
      let predicted = match >= 0 && match < began ? begun[match] : 0
      let isPredicted = match < began && objects[ordinal] == predicted
      codes[ordinal] = isPredicted ? 0 : dictionary.code(kind: kind, object: objects[ordinal])
      ordinal &+= 1
    }
    return unmatched
  }

  // MARK: Columns

  private func putShapes() {
    columns.put(shapes.lengths)
    columns.put(shapes.lengths.indices.flatMap { shapes.kinds(UInt8($0)) })
    columns.put(UnsafeRawBufferPointer(shapes.ids))
    columns.put(shapes.literals)
  }

  /// Scratch for the object dictionaries of a block. There are at most as many entries as events, and the deltas in
  /// event order are no longer needed.
  private var entries: UnsafeMutablePointer<UInt32> { flatDeltas.start }

  private func putDictionaries(_ directory: [KindDirectoryEntry]) {
    let entries = entries
    var count = 0
    for objects in dictionary.objects {
      for object in objects {
        entries[count] = object
        count &+= 1
      }
    }
    guard EventBlockLayout.upperColumns(directory) == 0 else { return putPlane(0, of: entries, count: count) }
    for i in 0..<count { entries[i] = entries[i].littleEndian }
    columns.put(UnsafeRawBufferPointer(start: entries, count: count * 4))
  }

  private func putDeltas(_ entry: KindDirectoryEntry) {
    let used = NarrowColumn.encode(
      deltas.start + entry.start, count: entry.count, codes: codes.start,
      bits: UnsafeMutableRawPointer(bits.start))
    columns.put(UnsafeRawBufferPointer(start: codes.start, count: entry.count))
    columns.put(UnsafeRawBufferPointer(start: bits.start, count: used), isNoise: true)
  }

  private func putObjectCodes(_ entry: KindDirectoryEntry) {
    guard entry.objects > 0 else { return columns.put([]) }
    let source = objectCodes.start + entry.start
    if entry.upperBytesOfCode > 0 { countBack(source, count: entry.count) }
    putPlane(0, of: source, count: entry.count)
  }

  /// Replaces codes by how far they are back from the entries that the codes before introduced. Objects that are new,
  /// as most are where there are many, all get code 1.
  private func countBack(_ codes: UnsafeMutablePointer<UInt32>, count: Int) {
    var introduced: UInt32 = 0
    for i in 0..<count where codes[i] != 0 {
      let code = codes[i]
      codes[i] = introduced &+ 2 &- code
      introduced = max(introduced, code)
    }
  }

  /// Puts the upper bytes of wide codes, and of the dictionaries in a block that has such codes.
  private func putUpperBytes(_ directory: [KindDirectoryEntry]) {
    guard EventBlockLayout.upperColumns(directory) > 0 else { return }
    let objects = directory.reduce(0) { $0 + $1.objects }
    for place in 1...EventBlockLayout.upperBytesOfObject { putPlane(place, of: entries, count: objects) }
    for entry in directory {
      for place in 0..<entry.upperBytesOfCode {
        putPlane(place + 1, of: objectCodes.start + entry.start, count: entry.count)
      }
    }
  }

  /// Puts one byte of each value; 0 = the lowest. There are at most as many values as events.
  @inline(__always)
  private func putPlane(_ place: Int, of values: UnsafePointer<UInt32>, count: Int) {
    // The scratch for codes of deltas is free between columns.
    let bytes = codes.start
    let shift = UInt32(truncatingIfNeeded: 8 &* place)
    for i in 0..<count { bytes[i] = UInt8(truncatingIfNeeded: values[i] &>> shift) }
    columns.put(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  // MARK: Arguments

  private func putArguments(_ arguments: ArgumentColumns, _ index: Int) {
    arguments.forEachColumn(of: index, fixed: putWide) { counts, rest in
      columns.put(counts)
      putWide(rest)
    }
  }

  private func putWide(_ residuals: UnsafeBufferPointer<Int64>) {
    // A column of further arguments may be longer than a block has events, so it gets scratch of its own.
    withUnsafeTemporaryAllocation(byteCount: residuals.count + 1, alignment: 1) { codes in
      withUnsafeTemporaryAllocation(byteCount: WideColumn.bitsBound(residuals.count), alignment: 8) { bits in
        let bytes = codes.bindMemory(to: UInt8.self)
        let used =
          residuals.baseAddress.map {
            WideColumn.encode($0, count: residuals.count, codes: bytes.baseAddress!, bits: bits.baseAddress!)
          } ?? 0
        columns.put(UnsafeRawBufferPointer(start: codes.baseAddress, count: residuals.count))
        columns.put(UnsafeRawBufferPointer(start: bits.baseAddress, count: used), isNoise: true)
      }
    }
  }

  private func assemble(_ directory: [KindDirectoryEntry], room: Int) -> [UInt8] {
    var out = ByteWriter(room: room)
    out.appendVarint(directory.count)
    for entry in directory {
      out.append(entry.code)
      out.appendVarint(entry.count)
      out.appendVarint(entry.objects)
      out.appendVarint(entry.unmatched)
      out.appendVarint(entry.arguments)
      out.append(entry.hasRest ? 1 : 0)
      out.append(contentsOf: entry.predictors)
    }
    out.appendVarint(columns.sizes.count)
    for size in columns.sizes {
      out.appendVarint(size.plain)
      out.appendVarint(size.stored)
    }
    out.append(contentsOf: columns.bytes)
    return out.bytes
  }
}

/// Collects columns. Compresses each one separately where that saves space.
struct ColumnSink {
  /// The size below which the header of a compressed frame costs more than it saves.
  private static let smallestCompressed = 16

  private(set) var bytes: [UInt8] = []
  private(set) var sizes: [(plain: Int, stored: Int)] = []
  private var codec: any BlockCodec = NoCodec()
  private var scratch: [UInt8] = []

  mutating func begin(_ codec: any BlockCodec) {
    self.codec = codec
    bytes.removeAll(keepingCapacity: true)
    sizes.removeAll(keepingCapacity: true)
  }

  mutating func put(_ column: [UInt8]) { column.withUnsafeBytes { put($0) } }

  /// `isNoise`: the column holds low bits, which are not worth a compressor's time.
  mutating func put(_ column: UnsafeRawBufferPointer, isNoise: Bool = false) {
    if !isNoise, column.count >= ColumnSink.smallestCompressed {
      let bound = codec.bound(column.count)
      if scratch.count < bound { scratch = [UInt8](repeating: 0, count: bound) }
      let stored = scratch.withUnsafeMutableBytes { codec.compress(column, into: $0) }
      if stored > 0, stored < column.count {
        sizes.append((column.count, stored))
        bytes.append(contentsOf: scratch[0..<stored])
        return
      }
    }
    sizes.append((column.count, 0))
    bytes.append(contentsOf: column)
  }
}
