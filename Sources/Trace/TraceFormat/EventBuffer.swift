import SystemSupport

/// The events of one thread that will become a block: columns of a fixed capacity, filled in time order.
///
/// A class with raw storage. The drain appends hundreds of millions of events, and an array's growth and exclusivity
/// checks would cost more than the encoding.
@usableFromInline package final class EventBuffer {
  @usableFromInline package static let capacity = TraceLimits.eventsPerBlock

  // SAFETY: One allocation, so that appending needs one address. It holds the fill state, a zero as the time before
  // the first event, then the columns, the wider ones first. Each column holds `capacity` elements; `append` refuses
  // more. There is room for a shape after the columns, because kinds are read eight at a time.
  @usableFromInline let memory = Storage<UInt64>(
    zeroed: 3 + EventBuffer.capacity / 8 * (8 + 4 + 3) + EventBlockLayout.shapeLength / 8)

  @inlinable var times: UnsafeMutablePointer<UInt64> { memory.start + 3 }
  @inlinable var objects: UnsafeMutablePointer<UInt32> { column(behind: 8) }
  @inlinable var kinds: UnsafeMutablePointer<UInt8> { column(behind: 12) }
  @inlinable var modes: UnsafeMutablePointer<UInt8> { column(behind: 13) }
  /// The number of arguments of each event; 0 beyond the last event.
  @inlinable var argumentCounts: UnsafeMutablePointer<UInt8> { column(behind: 14) }

  @inlinable @inline(__always)
  func column<Element>(behind bytesPerEvent: Int) -> UnsafeMutablePointer<Element> {
    UnsafeMutableRawPointer(times + EventBuffer.capacity / 8 * bytesPerEvent)
      .assumingMemoryBound(to: Element.self)
  }

  /// The arguments of all events, in order of events.
  @usableFromInline package private(set) var arguments: [UInt64] = []
  /// Stored in `memory`: each access to a property of the object would cost an exclusivity check.
  @inlinable var fill: UnsafeMutablePointer<Fill> {
    UnsafeMutableRawPointer(memory.start).assumingMemoryBound(to: Fill.self)
  }

  @usableFromInline struct Fill {
    @usableFromInline var count = 0
    /// The largest possible `count`: the capacity, or less when there are very many arguments.
    @usableFromInline var limit = EventBuffer.capacity
    @usableFromInline init(count: Int = 0) { self.count = count }
  }

  package init() { fill.initialize(to: Fill()) }

  // Inlined into the drain, which calls these for each event.
  @inlinable package var count: Int { fill.pointee.count }
  @inlinable package var isFull: Bool { fill.pointee.count == fill.pointee.limit }
  @inlinable package var isEmpty: Bool { count == 0 }
  @inlinable package var firstTime: UInt64 { count == 0 ? 0 : times[0] }
  @inlinable package var lastTime: UInt64 { count == 0 ? 0 : times[count - 1] }

  /// Appends an event. Stamps of a thread never go backwards, so an earlier `time` is raised to that of the last
  /// event. Traps when full (a programming error of the caller, never of input).
  @inlinable
  package func append(time: UInt64, kind: UInt8, mode: UInt8, object: UInt32) {
    let at = count
    precondition(at < fill.pointee.limit, "flush a full EventBuffer before appending")
    times[at] = max(time, times[at &- 1])
    kinds[at] = kind
    modes[at] = mode
    objects[at] = object
    fill.pointee.count = at &+ 1
  }

  /// The addresses to which a caller writes events that it appends many at a time.
  @usableFromInline package struct Columns {
    @usableFromInline package let times: UnsafeMutablePointer<UInt64>
    @usableFromInline package let objects: UnsafeMutablePointer<UInt32>
    @usableFromInline package let kinds: UnsafeMutablePointer<UInt8>
    @usableFromInline package let modes: UnsafeMutablePointer<UInt8>

    @inlinable init(_ buffer: EventBuffer, from start: Int) {
      times = buffer.times + start
      objects = buffer.objects + start
      kinds = buffer.kinds + start
      modes = buffer.modes + start
    }
  }

  /// The number of events that still fit.
  @inlinable package var room: Int { fill.pointee.limit &- count }

  /// Appends events without arguments: as many as `body` returns after writing them to the columns. Their times must
  /// not go backwards or lie before `lastTime`, and their number must not exceed `room`. In an empty buffer, `body`
  /// may write up to the next multiple of eight.
  @inlinable @inline(__always)
  package func append(_ body: (Columns) -> Int) {
    let number = body(Columns(self, from: count))
    precondition(number >= 0 && number <= room, "no more events than there is room for")
    fill.pointee.count &+= number
  }

  package func append(time: UInt64, kind: UInt8, mode: UInt8, object: UInt32, arguments more: [UInt64]) {
    more.withUnsafeBufferPointer {
      append(time: time, kind: kind, mode: mode, object: object, arguments: $0)
    }
  }

  package func append(
    time: UInt64, kind: UInt8, mode: UInt8, object: UInt32, arguments more: UnsafeBufferPointer<UInt64>
  ) {
    precondition(more.count <= TraceLimits.argumentsPerEvent, "an event has at most 255 arguments")
    append(time: time, kind: kind, mode: mode, object: object)
    argumentCounts[count - 1] = UInt8(more.count)
    arguments.append(contentsOf: more)
    if arguments.count > TraceLimits.argumentsPerBlock - TraceLimits.argumentsPerEvent {
      fill.pointee.limit = count
    }
  }

  /// Calls `body` with each event, in order.
  @inline(__always)
  @usableFromInline package func forEach(
    _ body: (_ time: UInt64, _ kind: UInt8, _ mode: UInt8, _ object: UInt32, _ arguments: ArraySlice<UInt64>)
      -> Void
  ) {
    var argument = 0
    for i in 0..<count {
      let end = argument + Int(argumentCounts[i])
      body(times[i], kinds[i], modes[i], objects[i], arguments[argument..<end])
      argument = end
    }
  }

  /// Raises the times of all earlier events to `time`.
  package func raise(to time: UInt64) {
    var at = 0
    while at < count, times[at] < time {
      times[at] = time
      at += 1
    }
  }

  /// Removes the last `number` events.
  package func removeLast(_ number: Int) {
    precondition(number <= count, "no more events than there are")
    let rest = count - number
    arguments.removeLast((rest..<count).reduce(0) { $0 + Int(argumentCounts[$1]) })
    (argumentCounts + rest).update(repeating: 0, count: number)
    fill.pointee = Fill(count: rest)
  }

  /// Removes the first `number` events.
  package func removeFirst(_ number: Int) {
    precondition(number <= count, "no more events than there are")
    let rest = count - number
    let dropped = (0..<number).reduce(0) { $0 + Int(argumentCounts[$1]) }
    for (column, stride) in [
      (UnsafeMutableRawPointer(times), 8), (UnsafeMutableRawPointer(objects), 4),
      (UnsafeMutableRawPointer(kinds), 1), (UnsafeMutableRawPointer(modes), 1),
      (UnsafeMutableRawPointer(argumentCounts), 1),
    ] {
      // SAFETY: Both ranges lie within the column's `count` elements. They may overlap, which memmove allows.
      memmove(column, column + number * stride, rest * stride)
    }
    (argumentCounts + rest).update(repeating: 0, count: number)
    arguments.removeFirst(dropped)
    fill.pointee = Fill(count: rest)
  }

  /// Returns whether the first events equal those of a decoded block in time, kind, mode and object.
  package func begins(with events: DecodedEvents) -> Bool {
    events.count <= count
      && (0..<events.count).allSatisfy { i in
        times[i] == events.times[i] && kinds[i] == events.kinds[i] && modes[i] == events.modes[i]
          && objects[i] == events.objects[i]
      }
  }

  package func removeAll() {
    if !arguments.isEmpty { argumentCounts.update(repeating: 0, count: count) }
    fill.pointee = Fill()
    arguments.removeAll(keepingCapacity: true)
  }
}
