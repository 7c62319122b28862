import RunLoopVocabulary
import TraceTables

extension TimelineFormat {
  package static let speedscope = TimelineFormat(
    name: "speedscope", viewer: "https://www.speedscope.app",
    lacks: "due points, marks, findings and everything else outside threads",
    // The events of all threads but the first are kept in memory.
    usualSlices: 500_000, writer: Speedscope.self)
}

/// The evented JSON format of speedscope, and its sampled format for stacks.
///
/// Source: `file-format-spec.ts` of the project jlfwong/speedscope. Each thread is a profile of the file. The events of
/// the first thread are written immediately. Profiles in a file cannot be interleaved, so the events of other threads
/// are buffered as text until `finish()`. Sampled profiles follow. All profiles share one list of frames, which comes
/// last.
final class Speedscope: SliceFormat {
  static let hasOtherTracks = false
  var bytes: [UInt8] = []
  private let program: ExportedProgram
  private var profiles: [Profile] = []
  /// Indices into `profiles`, by track.
  private var places: [Int: Int] = [:]
  private var frames: [String] = []
  private var framePlaces: [Int: Int] = [:]
  /// The text of an event up to its time, by frame.
  private var begins: [[UInt8]] = []
  private var ends: [[UInt8]] = []
  private var endNs: UInt64 = 0
  private var stacks: StackSamples?

  private struct Profile {
    var name: String
    var isMain: Bool
    var events: [UInt8] = []
    var isEmpty = true
    /// The time of the last event.
    var last: UInt64 = 0

    /// Appends an event. Times must not decrease.
    mutating func append(_ key: [UInt8], at ns: UInt64) {
      last = max(last, ns)
      if !isEmpty { events.append(UInt8(ascii: ",")) }
      isEmpty = false
      events += key
      events.appendDecimal(last)
      events.append(UInt8(ascii: "}"))
    }
  }

  init(_ program: ExportedProgram) {
    self.program = program
    bytes += #"{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"rltrace""#.utf8
    bytes += #","name":"#.utf8
    JSONString.append(program.name, to: &bytes)
    bytes += #","profiles":["#.utf8
  }

  func add(_ track: Track) {
    guard case .thread(_, let isMain) = track.kind else { return }
    places[track.number] = profiles.count
    profiles.append(Profile(name: track.name, isMain: isMain))
    if profiles.count == 1 { appendHead(0) }
  }

  func begin(_ slice: Slice, on track: Track) {
    guard let place = places[track.number] else { return }
    endNs = max(endNs, slice.start)
    let frame = frame(slice.name)
    append(begins[frame], to: place, at: slice.start)
  }

  func end(_ slice: Slice, on track: Track, at ns: UInt64, _ arguments: [Argument]) {
    guard let place = places[track.number] else { return }
    endNs = max(endNs, ns)
    append(ends[frame(slice.name)], to: place, at: ns)
  }

  private func append(_ key: [UInt8], to place: Int, at ns: UInt64) {
    profiles[place].append(key, at: ns)
    guard place == 0, profiles[0].events.count >= Speedscope.bufferBytes else { return }
    appendEvents(0)
  }

  private static let bufferBytes = 1 << 15

  func add(_ slice: Slice, to ns: UInt64, on track: Track) {}
  func addInstant(_ slice: Slice, on track: Track) {}
  func addCounter(_ value: Int, at ns: UInt64, on track: Track) {}
  func add(_ stacks: StackSamples) { self.stacks = stacks }

  func finish() {
    for place in profiles.indices {
      if place > 0 { appendHead(place) }
      appendEvents(place)
      bytes += #"],"startValue":0,"endValue":\#(endNs)}"#.utf8
    }
    if let stacks { append(stacks) }
    bytes += #"],"activeProfileIndex":\#(profiles.firstIndex { $0.isMain } ?? 0),"shared":{"frames":["#.utf8
    for (number, name) in frames.enumerated() {
      bytes += (number == 0 ? "\n{\"name\":" : ",\n{\"name\":").utf8
      JSONString.append(name, to: &bytes)
      bytes += "}".utf8
    }
    bytes += "]}}\n".utf8
  }

  /// Appends a sampled profile for each thread. It has no times, only the sum of the gap time that samples represent.
  private func append(_ stacks: StackSamples) {
    let first = frames.count
    frames += stacks.functions.map(\.name)
    for (place, thread) in stacks.threads.enumerated() {
      let samples = thread.samples
      bytes += (profiles.isEmpty && place == 0 ? "\n" : ",\n").utf8
      bytes += #"{"type":"sampled","unit":"nanoseconds","name":"#.utf8
      JSONString.append("stacks of \(thread.track.name)", to: &bytes)
      bytes += #","startValue":0,"endValue":\#(samples.map(\.duration).saturatedSum),"samples":["#.utf8
      for (number, sample) in samples.enumerated() {
        let functions = stacks.functions(from: sample.call).map { "\(first + $0)" }
        bytes += "\(number == 0 ? "" : ",")\n[\(functions.joined(separator: ","))]".utf8
      }
      bytes += #"],"weights":[\#(samples.map { "\($0.duration)" }.joined(separator: ","))]}"#.utf8
    }
  }

  private func appendHead(_ place: Int) {
    bytes += (place == 0 ? "\n" : ",\n").utf8
    bytes += #"{"type":"evented","unit":"nanoseconds","name":"#.utf8
    JSONString.append(profiles[place].name, to: &bytes)
    bytes += #","events":["#.utf8
  }

  /// Appends the events of a profile, and releases them.
  private func appendEvents(_ place: Int) {
    bytes += profiles[place].events
    if place == 0 { profiles[0].events.removeAll(keepingCapacity: true) } else { profiles[place].events = [] }
  }

  private func frame(_ name: Name) -> Int {
    if let known = framePlaces[name.number] { return known }
    let frame = frames.count
    framePlaces[name.number] = frame
    frames.append(name.text)
    begins.append(Array("\n{\"type\":\"O\",\"frame\":\(frame),\"at\":".utf8))
    ends.append(Array("\n{\"type\":\"C\",\"frame\":\(frame),\"at\":".utf8))
    return frame
  }
}
