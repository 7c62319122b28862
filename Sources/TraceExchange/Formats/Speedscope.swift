import TraceTables

/// The evented JSON format of speedscope.
///
/// Source: `file-format-spec.ts` of the project jlfwong/speedscope. Each thread is a profile of the file. All
/// profiles share one list of frames, and the file begins with it, so the events wait as text until `finish()`.
final class Speedscope: SliceFormat {
  static let hasOtherTracks = false
  var bytes: [UInt8] = []
  private let program: ExportedProgram
  private var profiles: [Profile] = []
  /// Places in `profiles` by track.
  private var places: [Int: Int] = [:]
  private var frames: [String] = []
  private var framePlaces: [Int: Int] = [:]
  private var endNs: UInt64 = 0

  private struct Profile {
    var name: String
    var isMain: Bool
    var events: [UInt8] = []
    /// The frames of the open slices.
    var open: [Int] = []
    /// The time of the last event.
    var last: UInt64 = 0

    /// Appends an event. Times must not decrease.
    mutating func append(_ type: String, frame: Int, at ns: UInt64) {
      last = max(last, ns)
      events += (events.isEmpty ? "\n{\"type\":\"" : ",\n{\"type\":\"").utf8
      events += type.utf8
      events += #"","frame":"#.utf8
      events.appendDecimal(UInt64(frame))
      events += #","at":"#.utf8
      events.appendDecimal(last)
      events.append(UInt8(ascii: "}"))
    }

    mutating func begin(_ frame: Int, at ns: UInt64) {
      open.append(frame)
      append("O", frame: frame, at: ns)
    }

    mutating func end(at ns: UInt64) {
      if let frame = open.popLast() { append("C", frame: frame, at: ns) }
    }
  }

  init(_ program: ExportedProgram) { self.program = program }

  func add(_ track: Track) {
    guard case .thread(_, let isMain) = track.kind else { return }
    places[track.number] = profiles.count
    profiles.append(Profile(name: track.name, isMain: isMain))
  }

  func begin(_ slice: Slice, on track: Track) {
    guard let place = places[track.number] else { return }
    endNs = max(endNs, slice.start)
    profiles[place].begin(frame(slice.name), at: slice.start)
  }

  func end(on track: Track, at ns: UInt64, _ arguments: [Argument], isOpen: Bool) {
    guard let place = places[track.number] else { return }
    endNs = max(endNs, ns)
    profiles[place].end(at: ns)
  }

  func add(_ slice: Slice, to ns: UInt64, on track: Track, isOpen: Bool) {}
  func addInstant(_ slice: Slice, on track: Track) {}
  func addCounter(_ value: Int, at ns: UInt64, on track: Track) {}

  func finish() {
    for place in profiles.indices {
      while !profiles[place].open.isEmpty { profiles[place].end(at: endNs) }
    }
    bytes += #"{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"rltrace""#.utf8
    bytes += #","name":"#.utf8
    JSONString.append(program.name, to: &bytes)
    bytes += #","activeProfileIndex":\#(profiles.firstIndex { $0.isMain } ?? 0),"shared":{"frames":["#.utf8
    for (number, name) in frames.enumerated() {
      bytes += (number == 0 ? "\n{\"name\":" : ",\n{\"name\":").utf8
      JSONString.append(name, to: &bytes)
      bytes += "}".utf8
    }
    bytes += #"]},"profiles":["#.utf8
    for place in profiles.indices { append(place) }
    bytes += "]}\n".utf8
  }

  /// Appends a profile and releases its events.
  private func append(_ place: Int) {
    bytes += (place == 0 ? "\n" : ",\n").utf8
    bytes += #"{"type":"evented","name":"#.utf8
    JSONString.append(profiles[place].name, to: &bytes)
    bytes += #","unit":"nanoseconds","startValue":0,"endValue":\#(endNs),"events":["#.utf8
    bytes += profiles[place].events
    profiles[place].events = []
    bytes += "]}".utf8
  }

  private func frame(_ name: Name) -> Int {
    if let known = framePlaces[name.number] { return known }
    framePlaces[name.number] = frames.count
    frames.append(name.text)
    return frames.count - 1
  }
}
