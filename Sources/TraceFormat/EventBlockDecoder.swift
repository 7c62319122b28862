/// Decodes the payload of event blocks. Holds scratch only; one decoder serves one thread.
///
/// Never traps on any input: a payload that contradicts itself throws.
final class EventBlockDecoder {
  private let codec: any BlockCodec
  /// Columns as decoded, by kind. Twice a block's events: a cursor that a damaged payload drives past its own
  /// column still ends inside, and the count is compared once at the end instead of at every event.
  ///
  /// SAFETY: all other accesses are checked against the directory before they are made.
  private let deltas = Storage<UInt32>(zeroed: EventBlockDecoder.capacity)
  private let objects = Storage<UInt32>(zeroed: EventBlockDecoder.capacity)
  private let dense = Storage<UInt8>(TraceLimits.eventsPerBlock + 64)
  private var plain = RawBuffer()

  private static let capacity = 2 * TraceLimits.eventsPerBlock + 256 * stagger
  /// Elements between the columns of two kinds: columns of equal size would start at the same cache set.
  private static let stagger = 144
  /// Every column is followed by this many readable bytes: what the codes of a full narrow column can claim, so
  /// that the claim is compared once, after reading. Nothing touches them in a sound file.
  static let slack = TraceLimits.eventsPerBlock * 4 + 64

  /// Bytes between two decompressed columns, so that wide loads of one see no other's.
  private static let columnGap = 64

  init(codec: any BlockCodec) { self.codec = codec }

  /// A column's bytes, followed by `slack` readable ones.
  private typealias Column = UnsafeRawBufferPointer

  /// Decodes the payload of a block with `count` events from time `first` on.
  ///
  /// `payload` must be followed by `EventBlockDecoder.slack` readable bytes.
  func decode(
    _ payload: UnsafeRawBufferPointer, count: Int, first: UInt64, last: UInt64, into out: DecodedEvents
  ) throws(PayloadError) {
    guard count > 0, count <= TraceLimits.eventsPerBlock else {
      throw .limit("\(count) events in a block, the limit is \(TraceLimits.eventsPerBlock)")
    }
    var reader = ByteReader(payload)
    let directory = try readDirectory(&reader, count: count)
    let columns = try readColumns(&reader, directory)
    out.reserve(count)
    try expandShapes(columns, kinds: directory.count, count: count)
    try decodeKindColumns(directory, columns)
    try merge(directory, jumps: columns[5], count: count, first: first, last: last, into: out)
    try fillModes(columns[4], count: count, into: out)
    out.count = count
    try decodeArguments(directory, columns, into: out)
  }

  // MARK: Directory

  private func readDirectory(_ reader: inout ByteReader, count: Int) throws(PayloadError)
    -> [KindDirectoryEntry]
  {
    let kinds = try reader.count(limit: 256, "number of kinds")
    var directory: [KindDirectoryEntry] = []
    var events = 0
    for _ in 0..<kinds {
      let code = try reader.integer(UInt8.self)
      if let last = directory.last, last.code >= code { throw .malformed("kinds out of order") }
      var entry = KindDirectoryEntry(
        code: code, start: events, count: try reader.count(limit: count, "events of a kind"))
      entry.objects = try reader.count(limit: count, "objects of a kind")
      entry.unmatched = try reader.count(limit: count, "unmatched ends")
      entry.arguments = try reader.count(limit: TraceLimits.argumentsPerEvent, "arguments of a kind")
      entry.hasRest = try reader.integer(UInt8.self) != 0
      for _ in 0..<entry.arguments { entry.predictors.append(try reader.integer(UInt8.self)) }
      guard entry.predictors.allSatisfy({ $0 <= EventBlockLayout.predictEventTime }) else {
        throw .malformed("unknown predictor")
      }
      events += entry.count
      directory.append(entry)
    }
    guard events == count else { throw .malformed("kinds hold \(events) events, the block \(count)") }
    return directory
  }

  private func readColumns(_ reader: inout ByteReader, _ directory: [KindDirectoryEntry]) throws(PayloadError)
    -> [Column]
  {
    let expected = EventBlockLayout.leadingColumns + directory.reduce(0) { $0 + $1.columns }
    let columnCount = try reader.count(limit: expected, "number of columns")
    guard columnCount == expected else { throw .malformed("\(columnCount) columns, expected \(expected)") }
    var sizes: [(plain: Int, stored: Int)] = []
    var room = 0
    for _ in 0..<columnCount {
      let plain = try reader.count(limit: TraceLimits.decodedBytesPerBlock, "bytes of a column")
      let stored = try reader.count(limit: TraceLimits.payloadBytes, "stored bytes of a column")
      sizes.append((plain, stored))
      if stored > 0 { room += plain + EventBlockDecoder.columnGap }
      guard room <= TraceLimits.decodedBytesPerBlock else { throw .limit("columns above 64 MiB") }
    }
    let decompressed = plain.room(room + EventBlockDecoder.slack)
    var columns: [Column] = []
    columns.reserveCapacity(columnCount)
    var at = 0
    for size in sizes {
      guard size.stored > 0 else {
        columns.append(try reader.take(size.plain))
        continue
      }
      let source = try reader.take(size.stored)
      let target = UnsafeMutableRawBufferPointer(rebasing: decompressed[at..<(at + size.plain)])
      guard codec.decompress(source, into: target) == size.plain else {
        throw .malformed("column \(columns.count) does not decompress to \(size.plain) bytes")
      }
      columns.append(UnsafeRawBufferPointer(target))
      at += size.plain + EventBlockDecoder.columnGap
    }
    return columns
  }

  // MARK: The sequence of kinds

  private func expandShapes(_ columns: [Column], kinds: Int, count: Int) throws(PayloadError) {
    let lengths = columns[0], bytes = columns[1], ids = columns[2], literals = columns[3]
    let width = EventBlockLayout.shapeLength
    guard lengths.count <= EventBlockLayout.shapesMax else { throw .limit("more than 255 shapes") }
    guard bytes.allSatisfy({ Int($0) < kinds }) else { throw .malformed("a shape names an unknown kind") }
    let total = lengths.reduce(0) { $0 + Int($1) }
    guard total == bytes.count, lengths.allSatisfy({ $0 > 0 && Int($0) <= width }) else {
      throw .malformed("shape lengths contradict the shapes")
    }
    let written: Int = withUnsafeTemporaryAllocation(byteCount: 256 * width, alignment: 32) { table in
      withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { lengthOf in
        var at = 0
        lengthOf.initialize(repeating: 0)
        for (shape, length) in lengths.enumerated() {
          lengthOf[shape] = Int(length)
          for i in 0..<Int(length) { table[shape * width + i] = bytes[at + i] }
          at += Int(length)
        }
        return expand(
          ids, literals, kinds, UnsafeRawPointer(table.baseAddress!), lengthOf.baseAddress!, count)
      }
    }
    guard written == count else { throw .malformed("shapes do not make up \(count) events") }
  }

  /// Returns the events written; any other number than `count` means a damaged payload.
  private func expand(
    _ ids: Column, _ literals: Column, _ kinds: Int, _ table: UnsafeRawPointer,
    _ lengthOf: UnsafePointer<Int>,
    _ count: Int
  ) -> Int {
    // SAFETY: a 32-byte store at `at` <= count - 1 stays within dense's count + 64 bytes.
    let width = EventBlockLayout.shapeLength
    let out = UnsafeMutableRawPointer(dense.start)
    var at = 0
    var literal = 0
    for id in ids {
      var length = lengthOf[Int(id)]
      if id == EventBlockLayout.literalShape {
        guard literal < literals.count else { return -1 }
        length = Int(literals[literal])
        guard length > 0, literal + 1 + length <= literals.count, at + length <= count else { return -1 }
        for i in 0..<length {
          let kind = literals[literal + 1 + i]
          guard Int(kind) < kinds else { return -1 }
          dense[at + i] = kind
        }
        literal += 1 + length
      } else {
        guard length > 0, at &+ length <= count else { return -1 }
        out.storeBytes(
          of: table.loadUnaligned(fromByteOffset: Int(id) &* width, as: SIMD32<UInt8>.self), toByteOffset: at,
          as: SIMD32<UInt8>.self)
      }
      at &+= length
    }
    return at
  }

  // MARK: Columns by kind

  /// A column of small values claims no bits and has none; reading still needs somewhere to look.
  private var nothing: UnsafeRawPointer { UnsafeRawPointer(deltas.start) }

  private func base(_ kind: Int, _ start: Int) -> Int { start + kind * EventBlockDecoder.stagger }

  private func decodeKindColumns(_ directory: [KindDirectoryEntry], _ columns: [Column]) throws(PayloadError)
  {
    var column = EventBlockLayout.leadingColumns
    var dictionaryAt = 0
    var begins: (kind: Int, start: Int, count: Int)?
    for (kind, entry) in directory.enumerated() {
      let codes = columns[column], bits = columns[column + 1], objectCodes = columns[column + 2]
      column += entry.columns
      guard codes.count == entry.count else { throw .malformed("delta column of kind \(entry.code)") }
      if entry.count > 0, let codes = codes.baseAddress?.assumingMemoryBound(to: UInt8.self) {
        let claimed = NarrowColumn.decode(
          codes: codes, count: entry.count, bits: bits.baseAddress ?? nothing, table: NarrowColumn.table,
          into: deltas.start + base(kind, entry.start))
        guard claimed <= bits.count * 8 else { throw .malformed("delta bits of kind \(entry.code)") }
      }
      let dictionary = columns[6]
      guard dictionaryAt + entry.objects * 4 <= dictionary.count else {
        throw .malformed("object dictionary")
      }
      let isEnd = EventTable.isPredictedByBegin(entry.code)
      let match =
        isEnd && begins?.kind == kind - 1 && kind > 0 && directory[kind - 1].code == entry.code - 1
        ? begins : nil
      try decodeObjects(
        entry, kind: kind, start: entry.start, codes: objectCodes,
        dictionary: UnsafeRawBufferPointer(
          rebasing: dictionary[dictionaryAt..<(dictionaryAt + entry.objects * 4)]),
        begins: match)
      dictionaryAt += entry.objects * 4
      begins = (kind, entry.start, entry.count)
    }
  }

  private func decodeObjects(
    _ entry: KindDirectoryEntry, kind: Int, start: Int, codes: Column, dictionary: UnsafeRawBufferPointer,
    begins: (kind: Int, start: Int, count: Int)?
  ) throws(PayloadError) {
    let out = objects.start + base(kind, start)
    let width = EventBlockLayout.objectCodeWidth(dictionary: entry.objects)
    guard codes.count == (entry.objects == 0 ? 0 : entry.count * width.rawValue) else {
      throw .malformed("object column of kind \(entry.code)")
    }
    func code(_ i: Int) -> Int {
      switch width {
      case .byte: Int(codes[i])
      case .short: Int(codes.integer(at: 2 * i, UInt16.self))
      case .word: Int(codes.integer(at: 4 * i, UInt32.self))
      }
    }
    func object(_ code: Int) -> UInt32 { dictionary.integer(at: 4 * (code &- 1), UInt32.self) }
    // Predicted: for an end the object of its begin by ordinal, else the kind's previous object.
    let beginObjects = begins.map { objects.start + base($0.kind, $0.start) }
    let beginCount = begins?.count ?? 0
    var last: UInt32 = 0
    var worst = 0
    if entry.objects == 0, beginObjects == nil {
      out.update(repeating: 0, count: entry.count)
      return
    }
    if let beginObjects, entry.objects == 0 {
      // Every end as predicted.
      let unmatched = min(entry.unmatched, entry.count)
      let matched = min(entry.count - unmatched, beginCount)
      out.update(repeating: 0, count: entry.count)
      (out + unmatched).update(from: beginObjects, count: matched)
      return
    }
    if case .byte = width, let bytes = codes.baseAddress?.assumingMemoryBound(to: UInt8.self),
      beginObjects == nil
    {
      // The common case on its own, without a switch per event.
      for i in 0..<entry.count {
        let code = Int(bytes[i])
        if code != 0 {
          guard code <= entry.objects else { throw .malformed("object code of kind \(entry.code)") }
          last = object(code)
        }
        out[i] = last
      }
      return
    }
    for i in 0..<entry.count {
      let code = entry.objects == 0 ? 0 : code(i)
      worst = max(worst, code)
      guard code <= entry.objects else { break }
      if code != 0 {
        last = object(code)
      } else if let beginObjects {
        let match = i - entry.unmatched
        last = match >= 0 && match < beginCount ? beginObjects[match] : 0
      }
      out[i] = last
    }
    guard worst <= entry.objects else { throw .malformed("object code of kind \(entry.code)") }
  }

  // MARK: Order of events

  /// Where time moves on by more than a delta column holds: these units, before the event at `index`.
  private struct Jump {
    var index: Int
    var units: UInt64
  }

  private func readJumps(_ column: Column, count: Int) throws(PayloadError) -> [Jump] {
    var reader = ByteReader(column)
    var jumps: [Jump] = []
    var index = 0
    while reader.remaining > 0 {
      let ahead = try reader.count(limit: count, "jump")
      index += ahead
      guard ahead > 0, index < count else { throw .malformed("a jump points outside the block") }
      jumps.append(Jump(index: index, units: try reader.varint()))
    }
    return jumps
  }

  private func merge(
    _ directory: [KindDirectoryEntry], jumps: Column, count: Int, first: UInt64, last: UInt64,
    into out: DecodedEvents
  ) throws(PayloadError) {
    let jumps = try readJumps(jumps, count: count)
    var addsUp = true
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { cursors in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { codeOf in
        cursors.initialize(repeating: 0)
        codeOf.initialize(repeating: 0)
        for (kind, entry) in directory.enumerated() {
          cursors[kind] = base(kind, entry.start)
          codeOf[kind] = entry.code
        }
        var time = first
        var at = 0
        // A run of deltas adds less than 2^64, so that it ends below its start if it overflows anywhere.
        for jump in jumps {
          let end = mergeRun(at, jump.index, from: time, cursors.baseAddress!, codeOf.baseAddress!, out)
          let (sum, overflow) = end.addingReportingOverflow(jump.units)
          addsUp = addsUp && end >= time && !overflow
          time = sum
          at = jump.index
        }
        let end = mergeRun(at, count, from: time, cursors.baseAddress!, codeOf.baseAddress!, out)
        addsUp = addsUp && end >= time && end == last
        for (kind, entry) in directory.enumerated() {
          addsUp = addsUp && cursors[kind] == base(kind, entry.start + entry.count)
        }
      }
    }
    guard addsUp else { throw .malformed("columns do not add up to the block's events") }
  }

  /// The inner loop of reading: takes each event from its kind's columns.
  @inline(__always)
  private func mergeRun(
    _ from: Int, _ to: Int, from start: UInt64, _ cursors: UnsafeMutablePointer<Int>,
    _ codeOf: UnsafePointer<UInt8>, _ out: DecodedEvents
  ) -> UInt64 {
    // SAFETY: `dense` holds kinds of the directory only; a cursor moves at most `count` steps from its base.
    let times = out.times, kinds = out.kinds, outObjects = out.objects
    let deltas = deltas.start, objects = objects.start, dense = dense.start
    var time = start
    var i = from
    while i < to {
      let kind = Int(dense[i])
      let at = cursors[kind]
      cursors[kind] = at &+ 1
      time &+= UInt64(deltas[at])
      times[i] = time
      outObjects[i] = objects[at]
      kinds[i] = codeOf[kind]
      i &+= 1
    }
    return time
  }

  private func fillModes(_ runs: Column, count: Int, into out: DecodedEvents) throws(PayloadError) {
    var reader = ByteReader(runs)
    var at = 0
    var mode: UInt8 = 0
    while reader.remaining > 0 {
      let ahead = try reader.count(limit: count, "mode run")
      guard at + ahead < count else { throw .malformed("a mode run points outside the block") }
      (out.modes + at).update(repeating: mode, count: ahead)
      at += ahead
      mode = try reader.integer(UInt8.self)
    }
    (out.modes + at).update(repeating: mode, count: count - at)
  }

  // MARK: Arguments

  private func decodeArguments(
    _ directory: [KindDirectoryEntry], _ columns: [Column], into out: DecodedEvents
  ) throws(PayloadError) {
    var column = EventBlockLayout.leadingColumns
    var total = 0
    for entry in directory {
      defer { column += entry.columns }
      guard entry.arguments > 0 || entry.hasRest else { continue }
      total += entry.arguments * entry.count
      try checkArguments(total)
      var arguments = DecodedEvents.KindArguments(fixed: entry.arguments)
      arguments.values = [UInt64](repeating: 0, count: entry.arguments * entry.count)
      for position in 0..<entry.arguments {
        let residuals = try decodeWide(
          columns[column + 3 + 2 * position], columns[column + 4 + 2 * position], count: entry.count)
        let isTime = entry.predictors[position] == EventBlockLayout.predictEventTime
        let times = isTime ? timesOf(entry.code, out) : []
        var previous: UInt64 = 0
        for (i, residual) in residuals.enumerated() {
          let value = (isTime ? times[i] : previous) &+ UInt64(bitPattern: residual)
          previous = value
          arguments.values[i * entry.arguments + position] = value
        }
      }
      if entry.hasRest {
        try decodeRest(entry, columns, at: column + 3 + 2 * entry.arguments, into: &arguments)
        total += arguments.rest.count
        try checkArguments(total)
      }
      out.argumentsOfKind[Int(entry.code)] = arguments
      out.kindsWithArguments.append(Int(entry.code))
    }
  }

  private func checkArguments(_ total: Int) throws(PayloadError) {
    guard total <= TraceLimits.argumentsPerBlock else {
      throw .limit("a block has more than \(TraceLimits.argumentsPerBlock) arguments")
    }
  }

  private func timesOf(_ code: UInt8, _ events: DecodedEvents) -> [UInt64] {
    var times: [UInt64] = []
    for i in 0..<events.count where events.kinds[i] == code { times.append(events.times[i]) }
    return times
  }

  private func decodeRest(
    _ entry: KindDirectoryEntry, _ columns: [Column], at column: Int,
    into arguments: inout DecodedEvents.KindArguments
  ) throws(PayloadError) {
    let counts = columns[column]
    guard counts.count == entry.count else { throw .malformed("argument counts of kind \(entry.code)") }
    arguments.restStarts = [0]
    for count in counts {
      guard entry.arguments + Int(count) <= TraceLimits.argumentsPerEvent else {
        throw .limit("an event of kind \(entry.code) has more than 255 arguments")
      }
      arguments.restStarts.append(arguments.restStarts.last! + Int(count))
    }
    var previous: UInt64 = 0
    let residuals = try decodeWide(
      columns[column + 1], columns[column + 2], count: arguments.restStarts.last!)
    for residual in residuals {
      previous = previous &+ UInt64(bitPattern: residual)
      arguments.rest.append(previous)
    }
  }

  private func decodeWide(_ codes: Column, _ bits: Column, count: Int) throws(PayloadError) -> [Int64] {
    guard codes.count == count else { throw .malformed("argument column") }
    guard count > 0, let codes = codes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return [] }
    guard WideColumn.claimedBits(codes, count: count) <= bits.count * 8 else {
      throw .malformed("argument bits")
    }
    var values = [Int64](repeating: 0, count: count)
    values.withUnsafeMutableBufferPointer { out in
      WideColumn.decode(
        codes: codes, count: count, bits: bits.baseAddress ?? nothing, into: out.baseAddress!)
    }
    return values
  }
}
