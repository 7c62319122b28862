/// Encodes events of one thread into the payload of an event block. Deterministic: the same events give the
/// same bytes with the same codec.
///
/// Two passes over the events, then one over each column:
/// 1. count the kinds, which fixes where each kind's column begins;
/// 2. scatter deltas and object codes into columns by kind, find mode runs and jumps;
/// 3. split the sequence of kinds into shapes; split deltas into codes and low bits; compress each column.
final class EventBlockEncoder {
  private let codec: any BlockCodec
  private var dictionary = ObjectDictionary()
  private var shapes = ShapeDictionary()
  // SAFETY: scratch columns hold one element an event of a full block; `codes` and `bits` also serve argument columns,
  // which are encoded in pieces of at most that many values.
  private let deltas = Storage<UInt32>(EventBuffer.capacity)
  private let dense = Storage<UInt8>(EventBuffer.capacity)
  private let objectCodes = Storage<UInt32>(EventBuffer.capacity)
  private let objectsByKind = Storage<UInt32>(EventBuffer.capacity)
  private let codes = Storage<UInt8>(EventBuffer.capacity)
  private let bits = Storage<UInt8>(WideColumn.bitsBound(EventBuffer.capacity))
  private var modeRuns = ByteWriter()
  private var jumps = ByteWriter()
  private var columns = ColumnSink()

  init(codec: any BlockCodec) { self.codec = codec }

  /// The payload for the events of `buffer`, which must hold at least one.
  func encode(_ buffer: EventBuffer) -> [UInt8] {
    var directory = countKinds(buffer)
    scatter(buffer, &directory, &dictionary)
    columns.begin(codec)
    putShapes(directory, count: buffer.count)
    columns.put(modeRuns.bytes)
    columns.put(jumps.bytes)
    putDictionaries()
    let arguments = ArgumentColumns(buffer, dense: dense.start, directory: &directory)
    var start = 0
    for (index, entry) in directory.enumerated() {
      putDeltas(start: start, count: entry.count)
      putObjectCodes(entry, start: start)
      putArguments(arguments, index)
      start += entry.count
    }
    return assemble(directory)
  }

  // MARK: Passes over the events

  private func countKinds(_ buffer: EventBuffer) -> [KindDirectoryEntry] {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { counts in
      counts.initialize(repeating: 0)
      let kinds = buffer.kinds.start
      for i in 0..<buffer.count { counts[Int(kinds[i])] &+= 1 }
      return (0..<256).compactMap { code in
        counts[code] > 0 ? KindDirectoryEntry(code: UInt8(code), count: counts[code]) : nil
      }
    }
  }

  private struct Cursor {
    var next: Int
    var start: Int
    var last: UInt32 = 0
    /// Where the begins of an end's kind stand, or -1.
    var begins: Int = -1
    var unmatched: Int = 0
  }

  private func scatter(
    _ buffer: EventBuffer, _ directory: inout [KindDirectoryEntry], _ dictionary: inout ObjectDictionary
  ) {
    dictionary.begin(kinds: directory.count)
    modeRuns.removeAll()
    jumps.removeAll()
    var denseOf = [UInt8](repeating: 0, count: 256)
    var cursors: [Cursor] = []
    var start = 0
    for (index, entry) in directory.enumerated() {
      denseOf[Int(entry.code)] = UInt8(index)
      var cursor = Cursor(next: start, start: start)
      if EventTable.isPredictedByBegin(entry.code), index > 0, directory[index - 1].code == entry.code - 1 {
        cursor.begins = index - 1
      }
      cursors.append(cursor)
      start += entry.count
    }
    let times = buffer.times.start, kinds = buffer.kinds.start
    let modes = buffer.modes.start, objects = buffer.objects.start
    let deltas = deltas.start, dense = dense.start
    let objectCodes = objectCodes.start, objectsByKind = objectsByKind.start
    let deltaUnits = TraceLimits.deltaUnits
    var previous = times[0]
    var mode: UInt8 = 0
    var lastRun = 0
    var lastJump = 0
    denseOf.withUnsafeBufferPointer { denseOf in
      cursors.withUnsafeMutableBufferPointer { cursors in
        for i in 0..<buffer.count {
          let kind = Int(denseOf[Int(kinds[i])])
          dense[i] = UInt8(truncatingIfNeeded: kind)
          let time = times[i]
          var delta = time &- previous
          previous = time
          if delta >= deltaUnits {
            jumps.appendVarint(i - lastJump)
            jumps.appendVarint(delta)
            lastJump = i
            delta = 0
          }
          if i == 0 || modes[i] != mode {
            mode = modes[i]
            modeRuns.appendVarint(i - lastRun)
            modeRuns.append(mode)
            lastRun = i
          }
          let object = objects[i]
          let at = cursors[kind].next
          cursors[kind].next = at &+ 1
          deltas[at] = UInt32(truncatingIfNeeded: delta)
          objectsByKind[at] = object
          // An end is predicted to name the object of the begin with the same ordinal. One that comes before that
          // begin is written out: the decoder, which has all begins, would predict it.
          let begins = cursors[kind].begins
          var predicted: UInt32 = 0
          var isPredictable = true
          if begins >= 0 {
            let began = cursors[begins].next &- cursors[begins].start
            let ordinal = at &- cursors[kind].start
            if began == 0 { cursors[kind].unmatched = ordinal &+ 1 }
            let match = ordinal &- cursors[kind].unmatched
            isPredictable = match < began
            if match >= 0 && match < began { predicted = objectsByKind[cursors[begins].start &+ match] }
          } else {
            predicted = cursors[kind].last
            cursors[kind].last = object
          }
          objectCodes[at] =
            isPredictable && object == predicted ? 0 : dictionary.code(kind: kind, object: object)
        }
      }
    }
    for index in directory.indices {
      directory[index].objects = dictionary.objects[index].count
      directory[index].unmatched = cursors[index].unmatched
    }
  }

  // MARK: Columns

  private func putShapes(_ directory: [KindDirectoryEntry], count: Int) {
    let start = directory.firstIndex { $0.code == EventBlockLayout.shapeStart } ?? -1
    shapes.encode(dense.start, count: count, start: start)
    columns.put(shapes.lengths)
    columns.put(shapes.bytes)
    columns.put(shapes.ids)
    columns.put(shapes.literals)
  }

  private func putDictionaries() {
    var bytes = ByteWriter()
    for objects in dictionary.objects { for object in objects { bytes.appendInteger(object) } }
    columns.put(bytes.bytes)
  }

  private func putDeltas(start: Int, count: Int) {
    let used = NarrowColumn.encode(
      deltas.start + start, count: count, codes: codes.start, bits: UnsafeMutableRawPointer(bits.start))
    columns.put(UnsafeRawBufferPointer(start: codes.start, count: count))
    columns.put(UnsafeRawBufferPointer(start: bits.start, count: used), isNoise: true)
  }

  private func putObjectCodes(_ entry: KindDirectoryEntry, start: Int) {
    let source = UnsafeBufferPointer(start: objectCodes.start + start, count: entry.count)
    guard entry.objects > 0 else { return columns.put([]) }
    // The low-bits scratch is free between columns.
    let bits = UnsafeMutableRawPointer(bits.start)
    let width = EventBlockLayout.objectCodeWidth(dictionary: entry.objects)
    for (i, code) in source.enumerated() {
      switch width {
      case .byte: bits.storeBytes(of: UInt8(truncatingIfNeeded: code), toByteOffset: i, as: UInt8.self)
      case .short:
        bits.storeBytes(
          of: UInt16(truncatingIfNeeded: code).littleEndian, toByteOffset: 2 * i, as: UInt16.self)
      case .word: bits.storeBytes(of: code.littleEndian, toByteOffset: 4 * i, as: UInt32.self)
      }
    }
    columns.put(UnsafeRawBufferPointer(start: bits, count: entry.count * width.rawValue))
  }

  // MARK: Arguments

  private func putArguments(_ arguments: ArgumentColumns, _ index: Int) {
    arguments.forEachColumn(of: index, fixed: putWide) { counts, rest in
      columns.put(counts)
      putWide(rest)
    }
  }

  private func putWide(_ residuals: UnsafeBufferPointer<Int64>) {
    // A rest column may be longer than a block has events: it gets scratch of its own.
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

  private func assemble(_ directory: [KindDirectoryEntry]) -> [UInt8] {
    var out = ByteWriter()
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

/// Collects columns, each compressed on its own where that saves space.
struct ColumnSink {
  /// Below this a frame's own header costs more than it saves.
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

  /// `isNoise`: low bits, not worth a compressor's time.
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
