extension TimelineFormat {
  package static let perfetto = TimelineFormat(
    name: "perfetto", viewer: "https://ui.perfetto.dev", writer: PerfettoProtobuf.self)
}

/// Perfetto's protobuf format, which Perfetto UI and trace_processor read.
///
/// Source: the message definitions of the Perfetto project (`trace_packet.proto`, `track_event.proto`). The few fields
/// that are needed are encoded by hand, because generated code would take longer to build than the rest of the export.
final class PerfettoProtobuf: SliceFormat {
  static let hasOtherTracks = true
  var bytes: [UInt8] = []
  private let program: ExportedProgram
  /// Timestamps are boot time, so that a trace can be merged with a system trace of the same machine.
  private let originNs: UInt64
  private var isFirstEvent = true
  /// The names that the file already holds.
  private var knownNames: Set<Int> = []
  private var knownCategories: Set<Int> = []
  private var keys: [String: Int] = [:]

  private static let processTrack: UInt64 = 1
  private static let sequence: UInt64 = 1

  private enum EventType: UInt64 { case begin = 1, end, instant, counter }

  init(_ program: ExportedProgram) {
    self.program = program
    originNs = program.origin?.boottimeNs ?? 0
    if let origin = program.origin { addClocks(origin) }
    packet { packet in
      packet.message(60) { track in
        track.varint(1, Self.processTrack)
        track.message(3) { process in
          process.varint(1, program.processID)
          process.text(6, program.name)
        }
      }
    }
    // The facts of the recording, as arguments of an instant on the process's track.
    let recording = Name(number: .max, text: "recording")
    event(
      .instant, at: 0, track: Self.processTrack,
      Slice(name: recording, category: recording, start: 0, arguments: program.facts))
  }

  func add(_ track: Track) {
    packet { packet in
      packet.message(60) { descriptor in
        descriptor.varint(1, uuid(track))
        switch track.kind {
        case .thread(let id, _):
          descriptor.message(4) { thread in
            thread.varint(1, program.processID)
            thread.varint(2, id)
            thread.text(5, track.name)
          }
        case .other:
          descriptor.text(2, track.name)
          descriptor.varint(5, Self.processTrack)
        case .counter(let unit):
          descriptor.text(2, track.name)
          descriptor.varint(5, Self.processTrack)
          descriptor.message(8) { $0.text(6, unit) }
        }
      }
    }
  }

  func begin(_ slice: Slice, on track: Track) { event(.begin, at: slice.start, track: uuid(track), slice) }

  func end(_ slice: Slice, on track: Track, at ns: UInt64, _ arguments: [Argument]) {
    event(.end, at: ns, track: uuid(track), nil, arguments)
  }

  func add(_ slice: Slice, to ns: UInt64, on track: Track) {
    begin(slice, on: track)
    end(slice, on: track, at: ns, [])
  }

  func addInstant(_ slice: Slice, on track: Track) {
    event(.instant, at: slice.start, track: uuid(track), slice)
  }

  func addCounter(_ value: Int, at ns: UInt64, on track: Track) {
    event(.counter, at: ns, track: uuid(track), nil, counter: value)
  }

  func finish() {}

  // MARK: Packets

  private func uuid(_ track: Track) -> UInt64 { Self.processTrack + UInt64(track.number) }

  private func addClocks(_ origin: ExportedProgram.Clocks) {
    packet { packet in
      packet.message(6) { snapshot in
        for (clock, ns) in [(1, origin.realtimeNs), (3, origin.monotonicNs), (6, origin.boottimeNs)] {
          snapshot.message(1) {
            $0.varint(1, UInt64(clock))
            $0.varint(2, ns)
          }
        }
      }
    }
  }

  private func event(
    _ type: EventType, at ns: UInt64, track: UInt64, _ slice: Slice?, _ arguments: [Argument] = [],
    counter: Int? = nil
  ) {
    let arguments = arguments + (slice?.arguments ?? [])
    packet { packet in
      packet.varint(8, originNs &+ ns)
      intern(slice, arguments, &packet)
      // 1 = earlier names are forgotten; 2 = the packet needs names.
      packet.varint(13, isFirstEvent ? 3 : 2)
      isFirstEvent = false
      packet.message(11) { event in
        event.varint(9, type.rawValue)
        event.varint(11, track)
        if let slice {
          event.varint(10, iid(slice.name))
          event.varint(3, iid(slice.category))
        }
        if let counter { event.varint(30, UInt64(bitPattern: Int64(counter))) }
        for argument in arguments {
          event.message(4) { annotation in
            annotation.varint(1, UInt64(keys[argument.key] ?? 0))
            switch argument.value {
            case .integer(let value): annotation.varint(4, value)
            case .text(let text): annotation.text(6, text)
            }
          }
        }
      }
    }
  }

  private func iid(_ name: Name) -> UInt64 { UInt64(name.number) }

  /// Adds the names that the file does not hold yet.
  private func intern(_ slice: Slice?, _ arguments: [Argument], _ packet: inout Protobuf) {
    var entries: [(field: Int, iid: UInt64, text: String)] = []
    if let slice, knownCategories.insert(slice.category.number).inserted {
      entries.append((1, iid(slice.category), slice.category.text))
    }
    if let slice, knownNames.insert(slice.name.number).inserted {
      entries.append((2, iid(slice.name), slice.name.text))
    }
    for argument in arguments where keys[argument.key] == nil {
      keys[argument.key] = keys.count + 1
      entries.append((3, UInt64(keys.count), argument.key))
    }
    guard !entries.isEmpty else { return }
    packet.message(12) { data in
      for entry in entries {
        data.message(entry.field) {
          $0.varint(1, entry.iid)
          $0.text(2, entry.text)
        }
      }
    }
  }

  private func packet(_ body: (inout Protobuf) -> Void) {
    var file = Protobuf(bytes: bytes)
    bytes = []
    file.message(1) { packet in
      packet.varint(10, Self.sequence)
      body(&packet)
    }
    bytes = file.bytes
  }
}

/// Writes protobuf messages.
struct Protobuf {
  private(set) var bytes: [UInt8]

  /// Continues a message.
  init(bytes: [UInt8] = []) { self.bytes = bytes }

  mutating func varint(_ field: Int, _ value: UInt64) {
    append(UInt64(field) << 3)
    append(value)
  }

  mutating func text(_ field: Int, _ text: String) {
    guard !text.utf8.contains(0) else {
      // Perfetto treats a zero byte as the end of a string.
      let visible = text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }
      return self.text(field, String(String.UnicodeScalarView(visible)))
    }
    append(UInt64(field) << 3 | 2)
    append(UInt64(text.utf8.count))
    bytes += text.utf8
  }

  /// Appends a message. Its length takes four bytes, so that it can be filled in afterwards.
  mutating func message(_ field: Int, _ body: (inout Protobuf) -> Void) {
    append(UInt64(field) << 3 | 2)
    let start = bytes.count
    bytes += [0, 0, 0, 0]
    body(&self)
    var length = bytes.count - start - 4
    for place in start..<start + 4 {
      bytes[place] = UInt8(truncatingIfNeeded: length & 0x7F) | (place < start + 3 ? 0x80 : 0)
      length >>= 7
    }
  }

  private mutating func append(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}
