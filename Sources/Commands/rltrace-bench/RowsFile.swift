import Foundation
import TraceFormat

/// Reads a workload file block by block, so that memory stays small for any file. Rows have 16 bytes, little-endian,
/// as in tools/benchmark/reference/workload.h.
struct RowsFile: ~Copyable {
  /// A row is two words: the time in nanoseconds; and from the lowest bit on, object, kind and mode. Eight rows are
  /// converted at a time, all fields except the time as vectors.
  private typealias EightRows = SIMD16<UInt64>
  private static let rowBytes = 16

  /// The event kinds, indexed by the kind of a row.
  private static let kinds: [EventKind] = [
    .beforeTimersLow, .beforeSourcesLow, .source0Begin, .source0End,
    .beforeWaitingLow, .afterWaitingLow, .timerBegin, .timerEnd,
  ]
  private static let kindMax: UInt8 = 7

  private let path: String
  private let file: FileHandle
  private let unit: TimeUnit
  // SAFETY: there is room for the rows of a block. A buffer of events holds a multiple of eight. The space after the
  // rows that were read holds zeros or older rows.
  private let rows: UnsafeMutablePointer<EightRows>
  private var rowsRead = 0
  /// The time of the first row, in units. Times are quantised on the rows' own clock, so that equal intervals stay as
  /// equal as the unit allows.
  private var origin: UInt64?
  private var definedModes: Set<UInt8> = []

  init(path: String, unit: TimeUnit) throws {
    guard let file = FileHandle(forReadingAtPath: path) else { throw failure(66, "\(path): cannot open") }
    self.path = path
    self.file = file
    self.unit = unit
    rows = .allocate(capacity: EventBuffer.capacity / 8)
    rows.initialize(repeating: .zero, count: EventBuffer.capacity / 8)
  }

  deinit { rows.deallocate() }

  /// Fills `events`, which must be empty, with the rows of a block. Leaves it empty at the end of the file. Returns
  /// the modes that are new.
  mutating func read(into events: EventBuffer) throws -> [ModeDefinition] {
    let count = try readRows()
    guard count > 0 else { return [] }
    let first = origin ?? rows[0][0] / unit.nanoseconds
    origin = first
    var found = Conversion()
    events.append { columns in
      // Division by a constant compiles to a multiplication.
      found =
        switch unit {
        case .ns1: convert(count, into: columns, origin: first, nsPerUnit: 1)
        case .ns10: convert(count, into: columns, origin: first, nsPerUnit: 10)
        case .ns100: convert(count, into: columns, origin: first, nsPerUnit: 100)
        case .us1: convert(count, into: columns, origin: first, nsPerUnit: 1000)
        }
      return count
    }
    if found.kind > RowsFile.kindMax { throw badKind(count) }
    rowsRead += count
    return found.modes.filter { definedModes.insert($0).inserted }.map {
      ModeDefinition(id: $0, name: "mode-\($0 - 1)")
    }
  }

  private func readRows() throws -> Int {
    let bytes = UnsafeMutableRawBufferPointer(start: rows, count: EventBuffer.capacity * RowsFile.rowBytes)
    var filled = 0
    while filled < bytes.count {
      let count = Foundation.read(file.fileDescriptor, bytes.baseAddress! + filled, bytes.count - filled)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(74, "\(path): cannot read: \(String(cString: strerror(errno)))") }
      if count == 0 { break }
      filled += count
    }
    guard filled.isMultiple(of: RowsFile.rowBytes) else { throw failure(65, "\(path): ends inside a row") }
    return filled / RowsFile.rowBytes
  }

  /// Facts about converted rows besides their events.
  private struct Conversion {
    /// The largest event kind in the rows.
    var kind: UInt8 = 0
    /// The modes in the trace, one entry for each time that a mode begins.
    var modes: [UInt8] = []
    /// The kinds and modes of eight rows, as in the file and as in the trace. Most passes have eight events, and they
    /// are alike.
    var fields = SIMD4<UInt64>(repeating: .max)
    var eventKinds = SIMD8<UInt8>()
    var eventModes = SIMD8<UInt8>()

    @inline(never)
    mutating func update(_ fields: SIMD8<UInt32>, count: Int) {
      self.fields = unsafeBitCast(fields, to: SIMD4<UInt64>.self)
      for i in 0..<count {
        let row = UInt8(truncatingIfNeeded: fields[i])
        kind = max(kind, row)
        eventKinds[i] = RowsFile.kinds[Int(row & RowsFile.kindMax)].rawValue
        // Id 0 means "no mode".
        eventModes[i] = min(UInt8(truncatingIfNeeded: fields[i] &>> 8), ModeDefinition.overflowID - 1) + 1
        if modes.last != eventModes[i] { modes.append(eventModes[i]) }
      }
    }
  }

  /// Converts nanoseconds to units since the origin, and kinds and modes to those of the trace.
  @inline(__always)
  private func convert(
    _ count: Int, into columns: EventBuffer.Columns, origin: UInt64, nsPerUnit: UInt64
  ) -> Conversion {
    var found = Conversion()
    var last = origin
    var at = 0
    while at < count {
      let row = rows + at / 8, times = columns.times + at
      let words = UnsafeRawPointer(row).assumingMemoryBound(to: UInt64.self)
      for i in 0..<8 {
        // Times never go backwards.
        last = max(last, words[2 &* i] / nsPerUnit)
        times[i] = last &- origin
      }
      let fields = row.pointee.oddHalf
      store(SIMD8<UInt32>(truncatingIfNeeded: fields), to: columns.objects + at)
      let tops = SIMD8<UInt32>(truncatingIfNeeded: fields &>> 32)
      let changed = unsafeBitCast(tops, to: SIMD4<UInt64>.self) ^ found.fields
      if changed[0] | changed[1] | changed[2] | changed[3] != 0 {
        found.update(tops, count: min(8, count &- at))
      }
      store(found.eventKinds, to: columns.kinds + at)
      store(found.eventModes, to: columns.modes + at)
      at &+= 8
    }
    return found
  }

  @inline(__always)
  private func store<Element, Vector>(_ vector: Vector, to target: UnsafeMutablePointer<Element>) {
    UnsafeMutableRawPointer(target).storeBytes(of: vector, as: Vector.self)
  }

  private func badKind(_ count: Int) -> any Error {
    let bytes = UnsafeRawPointer(rows).assumingMemoryBound(to: UInt8.self)
    let kinds = (0..<count).lazy.map { bytes[RowsFile.rowBytes * $0 + 12] }
    let bad = kinds.firstIndex { $0 > RowsFile.kindMax } ?? 0
    return failure(
      65, "\(path): row \(rowsRead + bad) has kind \(kinds[bad]), the largest is \(RowsFile.kindMax)")
  }
}
