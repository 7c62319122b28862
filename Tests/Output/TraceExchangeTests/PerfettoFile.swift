import Foundation

/// The contents of a Perfetto file, read by code that shares nothing with the writer.
struct PerfettoFile {
  struct Event: Equatable {
    var type: UInt64
    var track: UInt64
    var time: UInt64
    var name: String
    var category: String
  }

  struct Sample {
    /// The functions, outermost first.
    var names: String
    var thread: UInt64
    var sum: UInt64
  }

  var tracks: [UInt64: String] = [:]
  var threads: Set<UInt64> = []
  var events: [Event] = []
  var samples: [Sample] = []

  init(_ bytes: [UInt8]) {
    var names: [UInt64: String] = [:]
    var categories: [UInt64: String] = [:]
    var functions: [UInt64: String] = [:]
    var frames: [UInt64: UInt64] = [:]
    var stacks: [UInt64: [UInt64]] = [:]
    for (field, packet) in Fields(bytes[...]) where field == 1 {
      let fields = Array(Fields(packet.bytes))
      for (_, data) in fields where data.field == 12 {
        for (field, entry) in Fields(data.bytes) {
          let parts = Dictionary(Fields(entry.bytes).map { ($0.0, $0.1) }) { $1 }
          let text = String(decoding: parts[2]?.bytes ?? [], as: UTF8.self)
          if field == 1 { categories[parts[1]?.number ?? 0] = text }
          if field == 2 { names[parts[1]?.number ?? 0] = text }
          if field == 5 { functions[parts[1]?.number ?? 0] = text }
          if field == 6 { frames[parts[1]?.number ?? 0] = parts[2]?.number }
          if field == 7 {
            stacks[parts[1]?.number ?? 0] = Fields(entry.bytes).filter { $0.0 == 2 }.map(\.1.number)
          }
        }
      }
      for (_, descriptor) in fields where descriptor.field == 60 {
        let parts = Dictionary(Fields(descriptor.bytes).map { ($0.0, $0.1) }) { $1 }
        let uuid = parts[1]?.number ?? 0
        tracks[uuid] = String(decoding: parts[2]?.bytes ?? [], as: UTF8.self)
        if let thread = parts[4] {
          threads.insert(uuid)
          for (field, name) in Fields(thread.bytes) where field == 5 {
            tracks[uuid] = String(decoding: name.bytes, as: UTF8.self)
          }
        }
      }
      for (_, sample) in fields where sample.field == 66 {
        let parts = Dictionary(Fields(sample.bytes).map { ($0.0, $0.1) }) { $1 }
        let stack = stacks[parts[4]?.number ?? 0] ?? []
        samples.append(
          Sample(
            names: stack.map { frames[$0].flatMap { functions[$0] } ?? "?" }.joined(separator: ";"),
            thread: parts[3]?.number ?? 0, sum: parts[6]?.number ?? 0))
      }
      for (_, event) in fields where event.field == 11 {
        let parts = Dictionary(Fields(event.bytes).map { ($0.0, $0.1) }) { first, _ in first }
        let time = fields.first { $0.1.field == 8 }?.1.number ?? 0
        events.append(
          Event(
            type: parts[9]?.number ?? 0, track: parts[11]?.number ?? 0, time: time,
            name: parts[10].flatMap { names[$0.number] } ?? "",
            category: parts[3].flatMap { categories[$0.number] } ?? ""))
      }
    }
  }

  /// A field of a message: a number, or bytes.
  struct Field {
    var field: UInt64
    var number: UInt64 = 0
    var bytes: ArraySlice<UInt8> = []
  }

  /// The fields of a message, in order.
  struct Fields: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func next() -> (UInt64, Field)? {
      guard !rest.isEmpty else { return nil }
      let key = varint()
      var field = Field(field: key >> 3)
      if key & 7 == 2 {
        let count = Int(varint())
        field.bytes = rest.prefix(count)
        rest = rest.dropFirst(count)
      } else {
        field.number = varint()
      }
      return (key >> 3, field)
    }

    private mutating func varint() -> UInt64 {
      var (value, shift) = (UInt64(0), UInt64(0))
      while let byte = rest.popFirst() {
        value |= UInt64(byte & 0x7F) << shift
        shift += 7
        if byte < 0x80 { break }
      }
      return value
    }
  }
}
