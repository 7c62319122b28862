import RunLoopVocabulary

extension TimelineFormat {
  package static let perfetto = TimelineFormat(
    name: "perfetto", viewer: "https://ui.perfetto.dev", writer: PerfettoProtobuf.self)
}

/// Perfetto's protobuf format, which Perfetto UI and trace_processor read.
///
/// Source: the message definitions of the Perfetto project (`trace_packet.proto`, `track_event.proto`,
/// `profile_packet.proto`, `profile_common.proto`). The few fields that are needed are encoded by hand, because generated
/// code would take longer to build than the rest of the export.
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
  /// Samples have interned functions and stacks of their own.
  private static let sampleSequence: UInt64 = 2
  private static let sampleCounter = "sampled gap time (ns)"

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

  // MARK: Samples

  /// Adds a `PerfSample` for each sample. Such a sample has no weight, so its counter has the sum of the gap time that
  /// all samples so far represent.
  func add(_ stacks: StackSamples) {
    packet(of: Self.sampleSequence) { packet in
      packet.message(59) { defaults in
        defaults.message(12) { samples in
          samples.message(1) { $0.text(10, Self.sampleCounter) }
        }
      }
      packet.varint(13, 3)
      packet.message(12) { intern(stacks, &$0) }
    }
    var sum: UInt64 = 0
    for sample in stacks.samples {
      guard case .thread(let thread, _) = sample.track.kind else { continue }
      sum &+= sample.duration
      packet(of: Self.sampleSequence) { packet in
        packet.varint(8, originNs &+ sample.start)
        packet.varint(13, 2)
        packet.message(66) { perf in
          perf.varint(2, program.processID)
          perf.varint(3, thread)
          perf.varint(4, iid(sample.call))
          perf.varint(6, sum)
        }
      }
    }
  }

  private func iid(_ place: Int) -> UInt64 { UInt64(place) + 1 }

  /// Adds the functions, their images and the stacks. trace_processor requires an image for each function, so an
  /// unknown one has no name.
  private func intern(_ stacks: StackSamples, _ data: inout Protobuf) {
    let images = stacks.functions.map(\.image).uniqued()
    let places = Dictionary(uniqueKeysWithValues: images.enumerated().map { ($1, $0) })
    for (place, image) in images.enumerated() {
      if let image { intern(17, place, image, &data) }
      data.message(19) { mapping in
        mapping.varint(1, iid(place))
        if image != nil { mapping.varint(7, iid(place)) }
      }
    }
    for (place, function) in stacks.functions.enumerated() {
      intern(5, place, function.name, &data)
      data.message(6) { frame in
        frame.varint(1, iid(place))
        frame.varint(2, iid(place))
        frame.varint(3, iid(places[function.image] ?? 0))
        frame.varint(4, 0)
      }
    }
    for call in stacks.samples.map(\.call).uniqued() {
      data.message(7) { stack in
        stack.varint(1, iid(call))
        for function in stacks.functions(from: call) { stack.varint(2, iid(function)) }
      }
    }
  }

  private func intern(_ field: Int, _ place: Int, _ text: String, _ data: inout Protobuf) {
    data.message(field) { entry in
      entry.varint(1, iid(place))
      entry.text(2, text)
    }
  }

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

  private func packet(of sequence: UInt64 = PerfettoProtobuf.sequence, _ body: (inout Protobuf) -> Void) {
    var file = Protobuf(bytes: bytes)
    bytes = []
    file.message(1) { packet in
      packet.varint(10, sequence)
      body(&packet)
    }
    bytes = file.bytes
  }
}
