/// The names of a trace's objects at each of its events.
///
/// Object ids are reused, and a definition may come later in the file than events of other threads to which it
/// applies. The last definition by time, then by thread index, is in force. At the instant of an event, those of other
/// threads come before it: this is the order in which a trace is analyzed. All event blocks are decoded once. Memory grows with the number of definitions up to a limit;
/// definitions beyond it are ignored.
package struct ObjectNames {
  private struct Definition: Comparable {
    var object: UInt32
    var time: UInt64
    var thread: UInt32
    /// The number among the thread's definitions, from 1.
    var number: UInt32
    var name: UInt32

    static func < (a: Definition, b: Definition) -> Bool {
      (a.object, a.time, a.thread, a.number) < (b.object, b.time, b.thread, b.number)
    }

    /// Returns whether the definition comes before an event of `object` on a thread that had made `definitions`
    /// definitions by then. If it is also for this object, it may be in force.
    func isInForce(for object: UInt32, at time: UInt64, thread: UInt32, definitions: UInt32) -> Bool {
      guard (self.object, self.time) == (object, time) else {
        return (self.object, self.time) < (object, time)
      }
      return self.thread != thread || number <= definitions
    }
  }

  /// Sorted by object, time, thread and number.
  private var definitions: [Definition] = []
  /// The number of definitions beyond the limit.
  package private(set) var omitted: UInt64 = 0

  /// Decodes all event blocks. Skips blocks that cannot be decoded.
  package init(_ reader: TraceReader) {
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
        // The thread counts each definition, even if it names nothing.
        numbers[thread, default: 0] += 1
        let name = events.argument(EventRole.Defines.name, kind: kind, ordinal: ordinals[Int(kind)]) ?? 0
        body(
          Definition(
            object: events.objects[i], time: events.times[i], thread: thread,
            number: numbers[thread, default: 0], name: UInt32(truncatingIfNeeded: name)))
      }
    }
  }

  /// Returns whether events of this kind define an object. Their first argument is its name.
  package static func isDefinition(_ kind: UInt8) -> Bool { EventTable.role(of: kind) == .defines }

  /// Returns the string id of an object's name at an event; nil when it has none. `definitions`: how many definitions
  /// the event's thread had made, including the event itself.
  package func name(of object: UInt32, at time: UInt64, thread: UInt32, definitions: UInt32) -> UInt32? {
    guard object != 0 else { return nil }
    let next = self.definitions.firstPlace {
      !$0.isInForce(for: object, at: time, thread: thread, definitions: definitions)
    }
    guard next > 0, self.definitions[next - 1].object == object else { return nil }
    return self.definitions[next - 1].name
  }
}
