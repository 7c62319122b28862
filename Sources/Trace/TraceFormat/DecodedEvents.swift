/// The decoded events of one block: columns in event order, arguments by kind.
///
/// The next block decoded into this object reuses the storage, so no pointer into it may be kept longer.
public final class DecodedEvents {
  /// The number of events.
  public internal(set) var count = 0
  /// The index in the trace's thread table.
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

  /// One bit for each mode id of the events: exact for a whole block, a superset after `copy`.
  package internal(set) var modesUsed = SIMD4<UInt64>()

  // SAFETY: All four columns hold `capacity` elements. `kinds` and `modes` also hold the elements that the decoder's
  // wide stores may overrun.
  @usableFromInline private(set) var columns = Columns(0)
  private var capacity = 0

  /// The arguments of one kind's events.
  struct KindArguments {
    var fixed = 0
    /// The values row by row, `fixed` per event.
    var values: [UInt64] = []
    /// The index in `rest` at which each event's further arguments begin, then the end; empty when no event has any.
    var restStarts: [Int] = []
    var rest: [UInt64] = []

    /// Returns the arguments of some of the events.
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

  /// For each kind, the index of its arguments in `allArguments` plus 1; 0 = none. Empty when no kind has arguments.
  private var placeOfKind: [UInt16] = []
  private var allArguments: [KindArguments] = []

  /// Creates storage for the events of any block.
  public init() {}

  func setArguments(_ arguments: KindArguments, kind: UInt8) {
    if placeOfKind.isEmpty { placeOfKind = Array(repeating: 0, count: 256) }
    allArguments.append(arguments)
    placeOfKind[Int(kind)] = UInt16(truncatingIfNeeded: allArguments.count)
  }

  /// Returns the index of the kind's arguments in `allArguments`; nil = none.
  @inline(__always)
  private func place(_ kind: UInt8) -> Int? {
    guard !placeOfKind.isEmpty, placeOfKind[Int(kind)] > 0 else { return nil }
    return Int(placeOfKind[Int(kind)]) &- 1
  }

  /// The number of events that were lost between these, as stated by `lostEvents` events.
  package var lostEvents: UInt64 {
    let kind = EventKind.lostEvents.rawValue
    guard hasArguments(kind: kind) else { return 0 }
    let losses = (0..<count).count { kinds[$0] == kind }
    return (0..<losses).reduce(0) {
      $0.saturated(adding: argument(EventKind.LostEvents.count, kind: kind, ordinal: $1) ?? 0)
    }
  }

  /// The number of arguments of all events together.
  package var argumentCount: Int { allArguments.reduce(0) { $0 + $1.values.count + $1.rest.count } }

  /// Calls `body` with each event, in order.
  package func forEach<Failure: Error>(
    _ body: (_ time: UInt64, _ kind: UInt8, _ mode: UInt8, _ object: UInt32, _ arguments: [UInt64])
      throws(Failure) -> Void
  ) throws(Failure) {
    var ordinals = [Int](repeating: 0, count: 256)
    for i in 0..<count {
      let kind = kinds[i]
      let ordinal = ordinals[Int(kind)]
      ordinals[Int(kind)] += 1
      let arguments = hasArguments(kind: kind) ? self.arguments(kind: kind, ordinal: ordinal) : []
      try body(times[i], kind, modes[i], objects[i], arguments)
    }
  }

  /// Swaps the contents of the two objects. Nothing is copied, and both storages stay in use.
  func exchange(with other: DecodedEvents) {
    swap(&count, &other.count)
    swap(&thread, &other.thread)
    swap(&columns, &other.columns)
    swap(&modesUsed, &other.modesUsed)
    swap(&capacity, &other.capacity)
    swap(&placeOfKind, &other.placeOfKind)
    swap(&allArguments, &other.allArguments)
  }

  /// Copies the events `range` of `whole` with their arguments, as if they were a block of their own. O(events before
  /// the end of the range).
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
    // Arguments lie in the order of their kind's events, so count those before the range and within it.
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
    // Powers of two, so that not every larger block allocates.
    capacity = max(64, 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount))
    columns = Columns(capacity)
  }

  /// Returns the arguments of the event number `ordinal`, from 0, of its kind in this block. O(arguments).
  public func arguments(kind: UInt8, ordinal: Int) -> [UInt64] {
    guard let place = place(kind) else { return [] }
    let all = allArguments[place]
    var row = Array(all.values[(ordinal * all.fixed)..<((ordinal + 1) * all.fixed)])
    if !all.restStarts.isEmpty { row += all.rest[all.restStarts[ordinal]..<all.restStarts[ordinal + 1]] }
    return row
  }

  /// Returns whether the block has events of a kind that carries arguments. O(1).
  public func hasArguments(kind: UInt8) -> Bool { place(kind) != nil }

  /// Returns the number of events of a kind that carries arguments; 0 for other kinds. O(1).
  package func argumentRows(kind: UInt8) -> Int {
    guard let place = place(kind) else { return 0 }
    let all = allArguments[place]
    return all.restStarts.isEmpty ? all.values.count / max(all.fixed, 1) : all.restStarts.count - 1
  }

  /// Returns one argument; nil where the event has fewer. O(1), no allocation.
  public func argument(_ position: Int, kind: UInt8, ordinal: Int) -> UInt64? {
    guard let place = place(kind) else { return nil }
    let fixed = allArguments[place].fixed
    guard position >= fixed else { return allArguments[place].values[ordinal * fixed + position] }
    return furtherArgument(position - fixed, place, ordinal)
  }

  /// Returns one of the arguments that not every event of the kind has.
  @inline(never)
  private func furtherArgument(_ position: Int, _ place: Int, _ ordinal: Int) -> UInt64? {
    let starts = allArguments[place].restStarts
    guard !starts.isEmpty else { return nil }
    let at = starts[ordinal] + position
    return at < starts[ordinal + 1] ? allArguments[place].rest[at] : nil
  }
}
