/// What the objects of a trace are called, at each of its events.
///
/// Object ids are used again, and a definition may stand in the file behind events of other threads that it holds for. In
/// force is the last definition by time, and at one moment by thread index: the order in which a trace is analyzed. All
/// event blocks are decoded once. Memory grows with the number of definitions up to a limit; those beyond name nothing.
public struct ObjectNames {
  private struct Definition: Comparable {
    var object: UInt32
    var time: UInt64
    var thread: UInt32
    /// Among the thread's definitions.
    var number: UInt32
    var name: UInt32

    static func < (a: Definition, b: Definition) -> Bool {
      (a.object, a.time, a.thread, a.number) < (b.object, b.time, b.thread, b.number)
    }

    /// Of this object or one before it, and in force at an event of a thread that had brought so many definitions.
    func isInForce(for object: UInt32, at time: UInt64, thread: UInt32, definitions: UInt32) -> Bool {
      (self.object, self.time, self.thread) < (object, time, thread)
        || (self.object == object && self.time == time && self.thread == thread && number <= definitions)
    }
  }

  /// By object, then as they came.
  private var definitions: [Definition] = []
  /// Definitions beyond the limit.
  public private(set) var omitted: UInt64 = 0

  /// Blocks that cannot be decoded are left out.
  public init(_ reader: TraceReader) {
    Self.eachDefinition(reader) { definition in
      if definitions.count < ReadingLimits.objectDefinitions {
        definitions.append(definition)
      } else {
        omitted += 1
      }
    }
    definitions.sort()
  }

  private static func eachDefinition(_ reader: TraceReader, _ body: (Definition) -> Void) {
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
          Definition(
            object: events.objects[i], time: events.times[i], thread: thread,
            number: numbers[thread, default: 0], name: UInt32(truncatingIfNeeded: name)))
      }
    }
  }

  /// Whether events of this kind bring an object and its name, as their first argument.
  public static func isDefinition(_ kind: UInt8) -> Bool { EventTable.role(of: kind) == .defines }

  /// The string id of an object's name at an event; nil when it has none. `definitions`: how many the event's thread
  /// had brought when it came, itself counted.
  public func name(of object: UInt32, at time: UInt64, thread: UInt32, definitions: UInt32) -> UInt32? {
    guard object != 0 else { return nil }
    var low = 0, high = self.definitions.count
    while low < high {
      let middle = (low + high) / 2
      if self.definitions[middle].isInForce(for: object, at: time, thread: thread, definitions: definitions) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    guard low > 0, self.definitions[low - 1].object == object else { return nil }
    return self.definitions[low - 1].name
  }
}
