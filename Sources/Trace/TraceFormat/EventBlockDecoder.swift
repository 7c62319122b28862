/// Decodes the payloads of event blocks. Holds only scratch memory; one decoder serves one thread.
///
/// Never traps on any input: a payload that contradicts itself throws.
final class EventBlockDecoder {
  private let codec: any BlockCodec
  /// The decoded columns, by kind.
  ///
  /// SAFETY: According to the directory, they have as many values as the block has events. `merge` checks once,
  /// before it reads them, that the order of events has the directory's number of events of each kind.
  private let deltas = Storage<UInt32>(zeroed: EventBlockDecoder.capacity)
  private let objects = Storage<UInt32>(zeroed: EventBlockDecoder.capacity)
  /// The object dictionaries of a block that has them in planes. Allocated without being touched.
  private let entries = Storage<UInt32>(TraceLimits.eventsPerBlock)
  private var order = EventOrder()
  private var plain = RawBuffer()

  private static let capacity = TraceLimits.eventsPerBlock + 256 * stagger
  /// The number of elements between the columns of two kinds. Columns of equal size would otherwise start at the same
  /// cache set.
  private static let stagger = 144
  /// The number of readable bytes after every column: as many as the codes of a full narrow column can claim. So the
  /// claim is checked once, after reading. A sound file uses none of them.
  static let slack = TraceLimits.eventsPerBlock * 4 + 64

  /// The number of bytes between two decompressed columns, so that wide loads never see another column.
  private static let columnGap = 64

  init(codec: any BlockCodec) { self.codec = codec }

  /// The bytes of a column, followed by `slack` readable ones.
  typealias Column = UnsafeRawBufferPointer

  /// Decodes the payload of a block of `count` events from time `first` to `last`.
  ///
  /// `payload` must be followed by `EventBlockDecoder.slack` readable bytes.
  func decode(
    _ payload: UnsafeRawBufferPointer, count: Int, first: UInt64, last: UInt64, into out: DecodedEvents
  ) throws(PayloadError) {
    guard count > 0, count <= TraceLimits.eventsPerBlock else {
      throw .limit("\(count) events, the limit is \(TraceLimits.eventsPerBlock) (eventsPerBlock)")
    }
    var reader = ByteReader(payload)
    let directory = try readDirectory(&reader, count: count)
    let columns = try readColumns(&reader, directory)
    out.reserve(count)
    guard !directory.isEmpty else {
      return try decodeFlat(columns, count: count, first: first, last: last, into: out)
    }
    try order.read(columns, directory, count: count, kinds: out.kinds)
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
    // A flat block has no directory.
    guard kinds == 0 || events == count else {
      throw .malformed("the kinds hold \(events) events, but the block \(count)")
    }
    return directory
  }

  private func readColumns(_ reader: inout ByteReader, _ directory: [KindDirectoryEntry]) throws(PayloadError)
    -> [Column]
  {
    // Earlier writers stored all bytes of a value together, whatever the width.
    let former = directory.isEmpty ? EventBlockLayout.flatColumns : EventBlockLayout.columns(directory)
    let expected = former + EventBlockLayout.upperColumns(directory)
    let columnCount = try reader.count(limit: expected, "number of columns")
    guard columnCount == expected || columnCount == former else {
      throw .malformed("\(columnCount) columns, expected \(expected)")
    }
    var sizes: [(plain: Int, stored: Int)] = []
    var room = 0
    for _ in 0..<columnCount {
      let plain = try reader.count(limit: TraceLimits.eventBytesPerBlock, "bytes of a column")
      let stored = try reader.count(limit: TraceLimits.eventBytesPerBlock, "stored bytes of a column")
      sizes.append((plain, stored))
      if stored > 0 { room += plain + EventBlockDecoder.columnGap }
      guard room <= TraceLimits.eventBytesPerBlock else {
        throw .limit("columns of more than \(TraceLimits.eventBytesPerBlock) bytes (eventBytesPerBlock)")
      }
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

  // MARK: Columns by kind

  /// A readable address that serves as the bits of a column of small values, which has no low bits.
  private var nothing: UnsafeRawPointer { UnsafeRawPointer(deltas.start) }

  private func base(_ kind: Int, _ start: Int) -> Int { start + kind * EventBlockDecoder.stagger }

  private func decodeKindColumns(_ directory: [KindDirectoryEntry], _ columns: [Column]) throws(PayloadError)
  {
    var column = EventBlockLayout.leadingColumns
    var upper = columns.dropFirst(EventBlockLayout.columns(directory))
    let dictionary = try readDictionary(columns[6], upper.prefix(EventBlockLayout.upperBytesOfObject))
    upper = upper.dropFirst(EventBlockLayout.upperBytesOfObject)
    var dictionaryAt = 0
    var begins: (kind: Int, start: Int, count: Int)?
    for (kind, entry) in directory.enumerated() {
      let codes = columns[column], bits = columns[column + 1], objectCodes = columns[column + 2]
      column += entry.columns
      guard codes.count == entry.count else {
        throw .malformed("the delta column of kind \(entry.code) is wrong")
      }
      if entry.count > 0, let codes = codes.baseAddress?.assumingMemoryBound(to: UInt8.self) {
        let claimed = NarrowColumn.decode(
          codes: codes, count: entry.count, bits: bits.baseAddress ?? nothing, table: NarrowColumn.table,
          into: deltas.start + base(kind, entry.start))
        guard claimed <= bits.count * 8 else {
          throw .malformed("the delta bits of kind \(entry.code) are wrong")
        }
      }
      guard dictionaryAt + entry.objects * 4 <= dictionary.count else {
        throw .malformed("the object dictionary is wrong")
      }
      let isEnd = EventTable.isPredictedByBegin(entry.code)
      let match =
        isEnd && begins?.kind == kind - 1 && kind > 0 && directory[kind - 1].code == entry.code - 1
        ? begins : nil
      try decodeObjects(
        entry, kind: kind, start: entry.start, codes: objectCodes,
        upper: upper.prefix(entry.upperBytesOfCode),
        dictionary: UnsafeRawBufferPointer(
          rebasing: dictionary[dictionaryAt..<(dictionaryAt + entry.objects * 4)]),
        begins: match)
      upper = upper.dropFirst(entry.upperBytesOfCode)
      dictionaryAt += entry.objects * 4
      begins = (kind, entry.start, entry.count)
    }
  }

  /// Returns the dictionaries of all kinds, u32 per entry. `upper` is empty if `column` holds them as they are.
  private func readDictionary(_ column: Column, _ upper: ArraySlice<Column>) throws(PayloadError) -> Column {
    guard !upper.isEmpty else { return column }
    // Each entry was introduced by an event.
    guard column.count <= TraceLimits.eventsPerBlock else {
      throw .malformed("the object dictionary is wrong")
    }
    try join(column, upper, into: entries.start)
    return Column(start: entries.start, count: column.count * 4)
  }

  /// Joins planes to values: `lowest` has the lowest bytes of all values, `upper` their next bytes. `out` has room for
  /// as many values as `lowest` has bytes.
  private func join(
    _ lowest: Column, _ upper: ArraySlice<Column>, into out: UnsafeMutablePointer<UInt32>
  ) throws(PayloadError) {
    let count = lowest.count
    guard upper.allSatisfy({ $0.count == count }) else {
      throw .malformed("planes of objects differ in length")
    }
    guard let bytes = lowest.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    for i in 0..<count { out[i] = UInt32(bytes[i]) }
    var shift: UInt32 = 0
    for plane in upper {
      shift &+= 8
      guard let bytes = plane.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      for i in 0..<count { out[i] |= UInt32(bytes[i]) &<< shift }
    }
  }

  private func decodeObjects(
    _ entry: KindDirectoryEntry, kind: Int, start: Int, codes: Column, upper: ArraySlice<Column>,
    dictionary: UnsafeRawBufferPointer, begins: (kind: Int, start: Int, count: Int)?
  ) throws(PayloadError) {
    let out = objects.start + base(kind, start)
    let width = EventBlockLayout.objectCodeWidth(dictionary: entry.objects)
    let arePlanes = !upper.isEmpty
    guard codes.count == (entry.objects == 0 ? 0 : entry.count * (arePlanes ? 1 : width.rawValue)) else {
      throw .malformed("the object column of kind \(entry.code) is wrong")
    }
    // Each code is read before its object takes its place.
    if arePlanes { try join(codes, upper, into: out) }
    func code(_ i: Int) -> Int {
      switch width {
      case _ where arePlanes: Int(truncatingIfNeeded: out[i])
      case .byte: Int(codes[i])
      case .short: Int(codes.integer(at: 2 * i, UInt16.self))
      case .word: Int(codes.integer(at: 4 * i, UInt32.self))
      }
    }
    func object(_ code: Int) -> UInt32 { dictionary.integer(at: 4 * (code &- 1), UInt32.self) }
    // The prediction: for an end, the object of the begin event with the same ordinal; otherwise the kind's
    // previous object.
    let beginObjects = begins.map { objects.start + base($0.kind, $0.start) }
    let beginCount = begins?.count ?? 0
    if entry.objects == 0 {
      // Every object is as predicted.
      let unmatched = min(entry.unmatched, entry.count)
      let matched = min(entry.count - unmatched, beginCount)
      for i in 0..<unmatched { out[i] = 0 }
      if let beginObjects { for i in 0..<matched { out[unmatched &+ i] = beginObjects[i] } }
      for i in unmatched &+ matched..<entry.count { out[i] = 0 }
      return
    }
    if case .byte = width, beginObjects == nil {
      try decodeRepeated(entry, codes, dictionary, into: out)
      return
    }
    var last: UInt32 = 0
    var introduced = 0
    for i in 0..<entry.count {
      var code = code(i)
      if code != 0 {
        // Codes in planes count back.
        if arePlanes { code = introduced &+ 2 &- code }
        guard code > 0, code <= entry.objects else { throw .malformed("object code of kind \(entry.code)") }
        introduced = max(introduced, code)
        last = object(code)
      } else if let beginObjects {
        let match = i - entry.unmatched
        last = match >= 0 && match < beginCount ? beginObjects[match] : 0
      }
      out[i] = last
    }
  }

  /// Decodes the common case separately: few objects, each predicted to be the previous one.
  private func decodeRepeated(
    _ entry: KindDirectoryEntry, _ codes: Column, _ dictionary: UnsafeRawBufferPointer,
    into out: UnsafeMutablePointer<UInt32>
  ) throws(PayloadError) {
    let bytes = codes.assumingMemoryBound(to: UInt8.self)
    var worst: UInt8 = 0
    for code in bytes { worst = max(worst, code) }
    guard Int(worst) <= entry.objects else { throw .malformed("object code of kind \(entry.code)") }
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 256) { table in
      table.initializeElement(at: 0, to: 0)
      for i in 0..<entry.objects {
        table.initializeElement(at: i + 1, to: dictionary.integer(at: 4 * i, UInt32.self))
      }
      // SAFETY: No code is above `entry.objects`, and there are as many codes as events.
      let table = table.baseAddress!
      guard let codes = UnsafePointer(bytes.baseAddress) else { return }
      // Entry 0 of the table is the previous object, so that "as predicted" is a code like all others.
      @inline(__always) func take(_ i: Int) {
        let object = table[Int(codes[i])]
        table[0] = object
        out[i] = object
      }
      var i = 0
      let whole = entry.count & ~15
      while i != whole {
        let sixteen = UnsafeRawPointer(codes + i).loadUnaligned(as: SIMD2<UInt64>.self)
        if sixteen[0] | sixteen[1] == 0 {
          // All are the previous object. Most columns contain only one object, which they name at the start.
          let same = SIMD16(repeating: table[0])
          UnsafeMutableRawPointer(out + i).storeBytes(of: same, as: SIMD16<UInt32>.self)
        } else {
          for place in 0..<16 { take(i &+ place) }
        }
        i &+= 16
      }
      while i != entry.count {
        take(i)
        i &+= 1
      }
    }
  }

  // MARK: Order of events

  /// An advance of time that exceeds a delta column: `units` before the event at `index`.
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
    guard order.agrees(with: directory) else { throw EventBlockDecoder.contradiction }
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { cursors in
      for (kind, entry) in directory.enumerated() {
        cursors.initializeElement(at: Int(entry.code), to: base(kind, entry.start))
      }
      order.merge(
        EventOrder.Columns(deltas: deltas.start, objects: objects.start, cursors: cursors.baseAddress!),
        out.kinds, count: count, deltas: out.times, objects: out.objects)
    }
    try addUp(jumps, count: count, first: first, last: last, in: out)
  }

  /// Converts the deltas of all events to times, in place.
  func addUp(
    _ jumps: Column, count: Int, first: UInt64, last: UInt64, in out: DecodedEvents
  ) throws(PayloadError) {
    var time = first
    var at = 0
    var addsUp = true
    // A run of deltas adds up to less than 2^64. So its end is below its start if it overflows anywhere.
    for jump in try readJumps(jumps, count: count) {
      let end = EventBlockDecoder.addUp(out.times, at, jump.index, from: time)
      let (sum, overflow) = end.addingReportingOverflow(jump.units)
      addsUp = addsUp && end >= time && !overflow
      time = sum
      at = jump.index
    }
    let end = EventBlockDecoder.addUp(out.times, at, count, from: time)
    guard addsUp, end >= time, end == last else { throw EventBlockDecoder.contradiction }
  }

  private static let contradiction = PayloadError.malformed("columns do not add up to the block's events")

  /// Converts deltas to times, in place. Returns the last time.
  @inline(__always)
  private static func addUp(
    _ times: UnsafeMutablePointer<UInt64>, _ from: Int, _ to: Int, from start: UInt64
  ) -> UInt64 {
    var time = start
    var i = from
    let whole = from &+ (to &- from) & ~7
    while i != whole {
      for place in 0..<8 {
        time &+= times[i &+ place]
        times[i &+ place] = time
      }
      i &+= 8
    }
    while i != to {
      time &+= times[i]
      times[i] = time
      i &+= 1
    }
    return time
  }

  func fillModes(_ runs: Column, count: Int, into out: DecodedEvents) throws(PayloadError) {
    var reader = ByteReader(runs)
    var at = 0
    var mode: UInt8 = 0
    var used = SIMD4<UInt64>()
    func use(_ mode: UInt8) { used[Int(mode / 64)] |= 1 &<< UInt64(mode % 64) }
    while reader.remaining > 0 {
      let ahead = try reader.count(limit: count, "mode run")
      guard at + ahead < count else { throw .malformed("a mode run points outside the block") }
      if ahead > 0 { use(mode) }
      EventOrder.fill(out.modes, at, at + ahead, SIMD32(repeating: mode), step: 32)
      at += ahead
      mode = try reader.integer(UInt8.self)
    }
    EventOrder.fill(out.modes, at, count, SIMD32(repeating: mode), step: 32)
    use(mode)
    out.modesUsed = used
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
      out.setArguments(arguments, kind: entry.code)
    }
  }

  func checkArguments(_ total: Int) throws(PayloadError) {
    guard total <= TraceLimits.argumentsPerBlock else {
      throw .limit("more than \(TraceLimits.argumentsPerBlock) arguments (argumentsPerBlock)")
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
    guard counts.count == entry.count else {
      throw .malformed("the argument counts of kind \(entry.code) are wrong")
    }
    arguments.restStarts = [0]
    for count in counts {
      guard entry.arguments + Int(count) <= TraceLimits.argumentsPerEvent else {
        throw .limit(
          "an event of kind \(entry.code) has more than \(TraceLimits.argumentsPerEvent) arguments "
            + "(argumentsPerEvent)"
        )
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
    guard codes.count == count else { throw .malformed("the argument column is wrong") }
    guard count > 0, let codes = codes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return [] }
    guard WideColumn.claimedBits(codes, count: count) <= bits.count * 8 else {
      throw .malformed("the argument bits are wrong")
    }
    var values = [Int64](repeating: 0, count: count)
    values.withUnsafeMutableBufferPointer { out in
      WideColumn.decode(
        codes: codes, count: count, bits: bits.baseAddress ?? nothing, into: out.baseAddress!)
    }
    return values
  }
}
