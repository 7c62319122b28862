/// The events of one block, decoded: columns in order of events, arguments by kind.
///
/// The storage is used again by the next block decoded into it; nothing may keep a pointer longer.
public final class DecodedEvents {
  public internal(set) var count = 0
  /// Index in the trace's thread table.
  public internal(set) var thread: UInt32 = 0
  /// Time units since the origin.
  @inlinable public var times: UnsafeMutablePointer<UInt64> { columns.times.start }
  @inlinable public var kinds: UnsafeMutablePointer<UInt8> { columns.kinds.start }
  @inlinable public var modes: UnsafeMutablePointer<UInt8> { columns.modes.start }
  @inlinable public var objects: UnsafeMutablePointer<UInt32> { columns.objects.start }

  @usableFromInline struct Columns: ~Copyable {
    @usableFromInline let times: Storage<UInt64>
    @usableFromInline let kinds: Storage<UInt8>
    @usableFromInline let modes: Storage<UInt8>
    @usableFromInline let objects: Storage<UInt32>

    init(_ capacity: Int) {
      times = Storage(capacity)
      kinds = Storage(capacity + EventOrder.overrun)
      modes = Storage(capacity + EventOrder.overrun)
      objects = Storage(capacity)
    }
  }

  /// A bit for each mode that the events have. For a whole block, exactly these modes.
  package internal(set) var modesUsed = SIMD4<UInt64>()

  // SAFETY: all four hold `capacity` elements, plus what the decoder's wide stores may run over.
  @usableFromInline private(set) var columns = Columns(0)
  private var capacity = 0

  /// The arguments of one kind's events.
  struct KindArguments {
    var fixed = 0
    /// Row by row, `fixed` values an event.
    var values: [UInt64] = []
    /// Where each event's further arguments begin in `rest`; empty when there are none.
    var restStarts: [Int] = []
    var rest: [UInt64] = []

    /// Those of some of the events.
    func rows(_ range: Range<Int>) -> KindArguments {
      var part = KindArguments()
      part.fixed = fixed
      part.values = Array(values[range.lowerBound * fixed..<range.upperBound * fixed])
      guard !restStarts.isEmpty else { return part }
      let (start, end) = (restStarts[range.lowerBound], restStarts[range.upperBound])
      part.restStarts = restStarts[range.lowerBound...range.upperBound].map { $0 - start }
      part.rest = Array(rest[start..<end])
      return part
    }
  }

  /// By kind: which of `allArguments` are its, from 1; 0 = it has none. Empty where no block had any.
  private var placeOfKind: [UInt16] = []
  private var allArguments: [KindArguments] = []

  public init() {}

  func setArguments(_ arguments: KindArguments, kind: UInt8) {
    if placeOfKind.isEmpty { placeOfKind = Array(repeating: 0, count: 256) }
    allArguments.append(arguments)
    placeOfKind[Int(kind)] = UInt16(truncatingIfNeeded: allArguments.count)
  }

  /// Its place in `allArguments`; nil = it has none.
  @inline(__always)
  private func place(_ kind: UInt8) -> Int? {
    guard !placeOfKind.isEmpty, placeOfKind[Int(kind)] > 0 else { return nil }
    return Int(placeOfKind[Int(kind)]) &- 1
  }

  /// Events that are missing among these, as they say.
  package var lostEvents: UInt64 {
    let kind = EventKind.lostEvents.rawValue
    guard hasArguments(kind: kind) else { return 0 }
    let losses = (0..<count).count { kinds[$0] == kind }
    return (0..<losses).reduce(0) { $0.saturated(adding: argument(0, kind: kind, ordinal: $1) ?? 0) }
  }

  /// How many all events have.
  package var argumentCount: Int { allArguments.reduce(0) { $0 + $1.values.count + $1.rest.count } }

  /// The two change what they hold: nothing is copied, both storages stay in use.
  func exchange(with other: DecodedEvents) {
    swap(&count, &other.count)
    swap(&thread, &other.thread)
    swap(&columns, &other.columns)
    swap(&modesUsed, &other.modesUsed)
    swap(&capacity, &other.capacity)
    swap(&placeOfKind, &other.placeOfKind)
    swap(&allArguments, &other.allArguments)
  }

  /// Holds the events `range` of `whole` from now on, arguments and all, as if they were a block of their own.
  /// O(events before its end).
  package func copy(_ range: Range<Int>, of whole: DecodedEvents) {
    reserve(range.count)
    count = range.count
    thread = whole.thread
    modesUsed = whole.modesUsed
    let start = range.lowerBound
    times.update(from: whole.times + start, count: count)
    kinds.update(from: whole.kinds + start, count: count)
    modes.update(from: whole.modes + start, count: count)
    objects.update(from: whole.objects + start, count: count)
    guard !whole.allArguments.isEmpty else { return }
    // Arguments lie in the order of their kind's events: how many there are before the range, and in it.
    var before = [Int](repeating: 0, count: 256)
    var within = before
    for event in 0..<start { before[Int(whole.kinds[event])] += 1 }
    for event in range { within[Int(whole.kinds[event])] += 1 }
    for kind in 0..<256 where within[kind] > 0 {
      guard let place = whole.place(UInt8(kind)) else { continue }
      let rows = before[kind]..<before[kind] + within[kind]
      setArguments(whole.allArguments[place].rows(rows), kind: UInt8(kind))
    }
  }

  func reserve(_ count: Int) {
    placeOfKind.removeAll()
    allArguments.removeAll()
    self.count = 0
    guard count > capacity else { return }
    // Powers of two, so that blocks of growing size do not allocate each time.
    capacity = max(64, 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount))
    columns = Columns(capacity)
  }

  /// Arguments of the event that is number `ordinal` (from 0) of its kind in this block. O(arguments).
  public func arguments(kind: UInt8, ordinal: Int) -> [UInt64] {
    guard let place = place(kind) else { return [] }
    let all = allArguments[place]
    var row = Array(all.values[(ordinal * all.fixed)..<((ordinal + 1) * all.fixed)])
    if !all.restStarts.isEmpty { row += all.rest[all.restStarts[ordinal]..<all.restStarts[ordinal + 1]] }
    return row
  }

  /// Whether events of a kind that carries arguments are among these. O(1).
  public func hasArguments(kind: UInt8) -> Bool { place(kind) != nil }

  /// The number of events of a kind that carries arguments; 0 for other kinds. O(1).
  package func argumentRows(kind: UInt8) -> Int {
    guard let place = place(kind) else { return 0 }
    let all = allArguments[place]
    return all.restStarts.isEmpty ? all.values.count / max(all.fixed, 1) : all.restStarts.count - 1
  }

  /// One argument, nil where the event has fewer. O(1), no allocation.
  public func argument(_ position: Int, kind: UInt8, ordinal: Int) -> UInt64? {
    guard let place = place(kind) else { return nil }
    let fixed = allArguments[place].fixed
    guard position >= fixed else { return allArguments[place].values[ordinal * fixed + position] }
    return furtherArgument(position - fixed, place, ordinal)
  }

  /// One of those that not every event of the kind has.
  @inline(never)
  private func furtherArgument(_ position: Int, _ place: Int, _ ordinal: Int) -> UInt64? {
    let starts = allArguments[place].restStarts
    guard !starts.isEmpty else { return nil }
    let at = starts[ordinal] + position
    return at < starts[ordinal + 1] ? allArguments[place].rest[at] : nil
  }
}
