/// The decoded events of one block: columns in event order, arguments by kind.
///
/// The next block decoded into this object reuses the storage, so no pointer into it may be kept longer.
public final class DecodedEvents {
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

  // SAFETY: All four columns hold `capacity` elements. `kinds` and `modes` also hold the elements that the decoder's
  // wide stores may overrun.
  @usableFromInline struct Contents: ~Copyable {
    @usableFromInline var columns = Columns(0)
    var capacity = 0
    var count = 0
    var thread: UInt32 = 0
    var modesUsed = SIMD4<UInt64>()
    /// For each kind, the index of its arguments in `arguments` plus 1; 0 = none. Empty when no kind has arguments.
    var placeOfKind: [UInt16] = []
    var arguments: [KindArguments] = []
  }

  /// One element. Accessed by address, because every access to a class's variable is checked.
  @usableFromInline let contents = UnsafeMutablePointer<Contents>.allocate(capacity: 1)

  /// Creates storage for the events of any block.
  public init() { contents.initialize(to: Contents()) }

  deinit {
    contents.deinitialize(count: 1)
    contents.deallocate()
  }

  /// The number of events.
  public internal(set) var count: Int {
    get { contents.pointee.count }
    set { contents.pointee.count = newValue }
  }
  /// The index in the trace's thread table.
  public internal(set) var thread: UInt32 {
    get { contents.pointee.thread }
    set { contents.pointee.thread = newValue }
  }
  /// One bit for each mode id of the events: exact for a whole block, a superset after `copy`.
  package internal(set) var modesUsed: SIMD4<UInt64> {
    get { contents.pointee.modesUsed }
    set { contents.pointee.modesUsed = newValue }
  }
  /// Time units since the origin.
  @inlinable public var times: UnsafeMutablePointer<UInt64> { contents.pointee.columns.times.start }
  @inlinable public var kinds: UnsafeMutablePointer<UInt8> { contents.pointee.columns.kinds.start }
  @inlinable public var modes: UnsafeMutablePointer<UInt8> { contents.pointee.columns.modes.start }
  @inlinable public var objects: UnsafeMutablePointer<UInt32> { contents.pointee.columns.objects.start }

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

  func setArguments(_ arguments: KindArguments, kind: UInt8) {
    if contents.pointee.placeOfKind.isEmpty { contents.pointee.placeOfKind = Array(repeating: 0, count: 256) }
    contents.pointee.arguments.append(arguments)
    contents.pointee.placeOfKind[Int(kind)] = UInt16(truncatingIfNeeded: contents.pointee.arguments.count)
  }

  /// Returns the index of the kind's arguments; nil = none.
  @inline(__always)
  private func place(_ kind: UInt8) -> Int? {
    guard !contents.pointee.placeOfKind.isEmpty else { return nil }
    let place = contents.pointee.placeOfKind[Int(kind)]
    return place > 0 ? Int(place) &- 1 : nil
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
  package var argumentCount: Int {
    contents.pointee.arguments.reduce(0) { $0 + $1.values.count + $1.rest.count }
  }

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
    swap(&contents.pointee, &other.contents.pointee)
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
    guard !whole.contents.pointee.arguments.isEmpty else { return }
    // Arguments lie in the order of their kind's events, so count those before the range and within it.
    var before = [Int](repeating: 0, count: 256)
    var within = before
    for event in 0..<start { before[Int(whole.kinds[event])] += 1 }
    for event in range { within[Int(whole.kinds[event])] += 1 }
    for kind in 0..<256 where within[kind] > 0 {
      guard let place = whole.place(UInt8(kind)) else { continue }
      let rows = before[kind]..<before[kind] + within[kind]
      setArguments(whole.contents.pointee.arguments[place].rows(rows), kind: UInt8(kind))
    }
  }

  func reserve(_ count: Int) {
    contents.pointee.placeOfKind.removeAll()
    contents.pointee.arguments.removeAll()
    self.count = 0
    guard count > contents.pointee.capacity else { return }
    // Powers of two, so that not every larger block allocates.
    let capacity = max(64, 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount))
    contents.pointee.capacity = capacity
    contents.pointee.columns = Columns(capacity)
  }

  /// Returns the arguments of the event number `ordinal`, from 0, of its kind in this block. O(arguments).
  public func arguments(kind: UInt8, ordinal: Int) -> [UInt64] {
    guard let place = place(kind) else { return [] }
    let all = contents.pointee.arguments[place]
    var row = Array(all.values[(ordinal * all.fixed)..<((ordinal + 1) * all.fixed)])
    if !all.restStarts.isEmpty { row += all.rest[all.restStarts[ordinal]..<all.restStarts[ordinal + 1]] }
    return row
  }

  /// Returns whether the block has events of a kind that carries arguments. O(1).
  public func hasArguments(kind: UInt8) -> Bool { place(kind) != nil }

  /// Returns the number of events of a kind that carries arguments; 0 for other kinds. O(1).
  package func argumentRows(kind: UInt8) -> Int {
    guard let place = place(kind) else { return 0 }
    let all = contents.pointee.arguments[place]
    return all.restStarts.isEmpty ? all.values.count / max(all.fixed, 1) : all.restStarts.count - 1
  }

  /// Returns one argument; nil where the event has fewer. O(1), no allocation.
  public func argument(_ position: Int, kind: UInt8, ordinal: Int) -> UInt64? {
    guard let place = place(kind) else { return nil }
    let fixed = contents.pointee.arguments[place].fixed
    guard position >= fixed else {
      return contents.pointee.arguments[place].values[ordinal * fixed + position]
    }
    return furtherArgument(position - fixed, place, ordinal)
  }

  /// Returns one of the arguments that not every event of the kind has.
  @inline(never)
  private func furtherArgument(_ position: Int, _ place: Int, _ ordinal: Int) -> UInt64? {
    let starts = contents.pointee.arguments[place].restStarts
    guard !starts.isEmpty else { return nil }
    let at = starts[ordinal] + position
    return at < starts[ordinal + 1] ? contents.pointee.arguments[place].rest[at] : nil
  }
}
