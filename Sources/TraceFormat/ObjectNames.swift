/// What the objects of a trace are called, at each of its events.
///
/// Object ids are used again, and a definition may stand in the file behind events of other threads that it holds for. In
/// force is the last definition by time, and at one moment by thread index: the order in which a trace is analyzed. All
/// event blocks are decoded once, a second time where ids have several names. Memory grows with the number of objects up
/// to a limit; those beyond have no names.
public struct ObjectNames {
  private struct Definition: Comparable {
    var time: UInt64
    var thread: UInt32
    /// Among the thread's definitions.
    var number: UInt32
    var name: UInt32

    static func < (a: Definition, b: Definition) -> Bool {
      (a.time, a.thread, a.number) < (b.time, b.thread, b.number)
    }

    /// In force at an event of a thread that had brought so many definitions.
    func isInForce(at time: UInt64, thread: UInt32, definitions: UInt32) -> Bool {
      (self.time, self.thread) < (time, thread)
        || (self.time == time && self.thread == thread && number <= definitions)
    }
  }

  enum Limit {
    static let objects = 1 << 21
    static let definitions = 1 << 22
  }

  /// The first definition of each id, and all of ids that have several names.
  private var first: [UInt32: Definition] = [:]
  private var several: [UInt32: [Definition]] = [:]

  /// Blocks that cannot be decoded are left out.
  public init(_ reader: TraceReader) {
    eachDefinition(reader) { object, definition in
      guard let known = first[object] else {
        if first.count < Limit.objects { first[object] = definition }
        return
      }
      if known.name != definition.name { several[object] = [] }
      if definition < known { first[object] = definition }
    }
    guard !several.isEmpty else { return }
    var count = 0
    eachDefinition(reader) { object, definition in
      guard several[object] != nil, count < Limit.definitions else { return }
      count += 1
      several[object]?.append(definition)
    }
    for object in several.keys { several[object]?.sort() }
  }

  private func eachDefinition(_ reader: TraceReader, _ body: (UInt32, Definition) -> Void) {
    let events = DecodedEvents()
    var numbers: [UInt32: UInt32] = [:]
    for number in reader.blocks.indices where reader.blocks[number].type == .events {
      guard (try? reader.events(of: number, into: events)) != nil else { continue }
      let thread = reader.blocks[number].thread
      var ordinals = [Int](repeating: 0, count: 256)
      for i in 0..<events.count {
        let kind = events.kinds[i]
        defer { ordinals[Int(kind)] += 1 }
        guard ObjectNames.isDefinition(kind) else { continue }
        // Counted by the thread even where it names nothing.
        numbers[thread, default: 0] += 1
        let name = events.argument(0, kind: kind, ordinal: ordinals[Int(kind)]) ?? 0
        body(
          events.objects[i],
          Definition(
            time: events.times[i], thread: thread, number: numbers[thread, default: 0],
            name: UInt32(truncatingIfNeeded: name)))
      }
    }
  }

  /// Whether events of this kind bring an object and its name, as their first argument.
  public static func isDefinition(_ kind: UInt8) -> Bool { EventTable.role(of: kind) == .defines }

  /// The string id of an object's name at an event; nil when it has none. `definitions`: how many the event's thread
  /// had brought when it came, itself counted.
  public func name(of object: UInt32, at time: UInt64, thread: UInt32, definitions: UInt32) -> UInt32? {
    guard object != 0 else { return nil }
    guard let candidates = several[object] else {
      let known = first[object]
      return known?.isInForce(at: time, thread: thread, definitions: definitions) == true ? known?.name : nil
    }
    var low = 0, high = candidates.count
    while low < high {
      let middle = (low + high) / 2
      if candidates[middle].isInForce(at: time, thread: thread, definitions: definitions) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low == 0 ? nil : candidates[low - 1].name
  }
}
