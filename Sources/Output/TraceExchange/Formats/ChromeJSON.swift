import TraceTables

extension TimelineFormat {
  package static let chrome = TimelineFormat(
    name: "chrome", viewer: "chrome://tracing or https://ui.perfetto.dev", writer: ChromeJSON.self)
}

/// The JSON format of chrome://tracing, which Perfetto UI and speedscope also read.
///
/// Source: "Trace Event Format", the document of the Chromium project. Slices of threads are pairs of `B` and `E`
/// events: viewers nest them in the order of the file, so slices without length nest correctly, which `X` events do
/// not. speedscope orders events by time, beginnings before ends of the same name. So events of one thread at the same
/// nanosecond are a picosecond apart. Slices outside threads are pairs of `b` and `e` events, which may overlap.
final class ChromeJSON: SliceFormat {
  static let hasOtherTracks = true
  var bytes: [UInt8] = []
  /// The text after the phase of each event, up to the thread.
  private let processKey: [UInt8]
  private var isFirst = true
  private var asynchronous = 0
  private var stacks: StackSamples?
  /// The time of the last event of each thread's track, and the number of events before it at that nanosecond.
  private var last: [Int: (ns: UInt64, before: UInt64)] = [:]
  /// Larger numbers of picoseconds would reach the next nanosecond.
  private static let mostPicoseconds: UInt64 = 999
  /// Names as JSON, by their numbers; empty = not encoded yet.
  private var names: [[UInt8]] = []

  init(_ program: ExportedProgram) {
    processKey = Array("\",\"pid\":\(program.processID),\"tid\":".utf8)
    bytes += #"{"displayTimeUnit":"ns","otherData":"#.utf8
    JSONString.append(program.facts, to: &bytes)
    bytes += #","traceEvents":["#.utf8
    metadata("process_name", thread: 0, Argument("name", program.name))
  }

  func add(_ track: Track) {
    guard case .thread(let id, let isMain) = track.kind else { return }
    metadata("thread_name", thread: id, Argument("name", track.name))
    metadata("thread_sort_index", thread: id, Argument("sort_index", isMain ? 0 : UInt64(track.number)))
  }

  func begin(_ slice: Slice, on track: Track) {
    event("B", slice, on: track, picoseconds: picoseconds(at: slice.start, on: track))
  }

  /// The name is repeated: speedscope ignores an end without its name, and Firefox Profiler refuses the file.
  func end(_ slice: Slice, on track: Track, at ns: UInt64, _ arguments: [Argument]) {
    let ended = Slice(name: slice.name, category: slice.category, start: ns, arguments: arguments)
    event("E", ended, on: track, picoseconds: picoseconds(at: ns, on: track))
  }

  func add(_ slice: Slice, to ns: UInt64, on track: Track) {
    asynchronous += 1
    let id = asynchronous
    var begin = slice
    begin.arguments.append(Argument("track", track.name))
    event("b", begin, on: track) { $0 += #","id":\#(id)"#.utf8 }
    event("e", Slice(name: slice.name, category: slice.category, start: ns), on: track) {
      $0 += #","id":\#(id)"#.utf8
    }
  }

  func addInstant(_ slice: Slice, on track: Track) {
    var slice = slice
    slice.arguments.append(Argument("track", track.name))
    event("i", slice, on: track) { $0 += #","s":"p""#.utf8 }
  }

  func addCounter(_ value: Int, at ns: UInt64, on track: Track) {
    write("C", at: ns, thread: 0) { bytes in
      bytes += ChromeJSON.nameKey
      JSONString.append(track.name, to: &bytes)
      bytes += #","args":{"value":\#(value)}"#.utf8
    }
  }

  func add(_ stacks: StackSamples) { self.stacks = stacks }

  func finish() {
    bytes += "]".utf8
    if let stacks { append(stacks) }
    bytes += "}\n".utf8
  }

  // MARK: Samples

  /// Appends the tree of calls, and the samples, whose weights are nanoseconds.
  private func append(_ stacks: StackSamples) {
    bytes += #","stackFrames":{"#.utf8
    for (place, call) in stacks.calls.enumerated() {
      let function = stacks.functions[call.function]
      bytes += "\(place == 0 ? "" : ",")\n\"\(place + 1)\":{\"name\":".utf8
      JSONString.append(function.name, to: &bytes)
      if let image = function.image {
        bytes += #","category":"#.utf8
        JSONString.append(image, to: &bytes)
      }
      // The number 0 would count as no parent.
      if call.caller >= 0 { bytes += #","parent":\#(call.caller + 1)"#.utf8 }
      bytes += "}".utf8
    }
    bytes += #"},"samples":["#.utf8
    for (place, sample) in stacks.samples.enumerated() {
      bytes += "\(place == 0 ? "" : ",")\n{\"name\":\"gap\",\"tid\":\(ChromeJSON.thread(sample.track))".utf8
      bytes += ChromeJSON.timeKey
      ChromeJSON.append(microseconds: sample.start, to: &bytes)
      bytes += #","sf":\#(sample.call + 1),"weight":\#(sample.duration)}"#.utf8
    }
    bytes += "]".utf8
  }

  // MARK: Events

  private static func thread(_ track: Track) -> UInt64 {
    if case .thread(let id, _) = track.kind { id } else { 0 }
  }

  private func metadata(_ name: String, thread: UInt64, _ argument: Argument) {
    write("M", at: 0, thread: thread) { bytes in
      bytes += #","name":"\#(name)""#.utf8
      ChromeJSON.append([argument], to: &bytes)
    }
  }

  private func event(
    _ phase: Unicode.Scalar, _ slice: Slice, on track: Track, picoseconds: UInt64 = 0,
    _ more: (inout [UInt8]) -> Void = { _ in }
  ) {
    let (name, category) = (encoded(slice.name), encoded(slice.category))
    write(phase, at: slice.start, picoseconds: picoseconds, thread: ChromeJSON.thread(track)) { bytes in
      more(&bytes)
      bytes += ChromeJSON.nameKey
      bytes += name
      bytes += ChromeJSON.categoryKey
      bytes += category
      ChromeJSON.append(slice.arguments, to: &bytes)
    }
  }

  /// Appends an event. `rest` appends what comes after its time.
  private func write(
    _ phase: Unicode.Scalar, at ns: UInt64, picoseconds: UInt64 = 0, thread: UInt64,
    _ rest: (inout [UInt8]) -> Void
  ) {
    // A local variable, because each access to the property would cost a check.
    var text = bytes
    bytes = []
    if !isFirst { text.append(UInt8(ascii: ",")) }
    isFirst = false
    text += ChromeJSON.begin
    text.append(UInt8(ascii: phase))
    text += processKey
    text.appendDecimal(thread)
    text += ChromeJSON.timeKey
    ChromeJSON.append(microseconds: ns, to: &text)
    if picoseconds > 0 { ChromeJSON.append(thousandths: picoseconds, to: &text) }
    rest(&text)
    text.append(UInt8(ascii: "}"))
    bytes = text
  }

  private static let begin = Array("\n{\"ph\":\"".utf8)
  private static let timeKey = Array(",\"ts\":".utf8)
  private static let nameKey = Array(",\"name\":".utf8)
  private static let categoryKey = Array(",\"cat\":".utf8)

  private static func append(_ arguments: [Argument], to bytes: inout [UInt8]) {
    guard !arguments.isEmpty else { return }
    bytes += #","args":"#.utf8
    JSONString.append(arguments, to: &bytes)
  }

  /// Appends a time in microseconds with three decimals, which is exact.
  private static func append(microseconds ns: UInt64, to bytes: inout [UInt8]) {
    bytes.appendDecimal(ns / 1000)
    bytes.append(UInt8(ascii: "."))
    append(thousandths: ns, to: &bytes)
  }

  private static func append(thousandths number: UInt64, to bytes: inout [UInt8]) {
    for power: UInt64 in [100, 10, 1] {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / power % 10))
    }
  }

  /// Returns how far behind its nanosecond the next event of a thread is written.
  private func picoseconds(at ns: UInt64, on track: Track) -> UInt64 {
    let before = last[track.number].map { $0.ns == ns ? min($0.before + 1, Self.mostPicoseconds) : 0 } ?? 0
    last[track.number] = (ns, before)
    return before
  }

  /// Returns a name as JSON. Each name is encoded once.
  private func encoded(_ name: Name) -> [UInt8] {
    while names.count <= name.number { names.append([]) }
    if names[name.number].isEmpty { JSONString.append(name.text, to: &names[name.number]) }
    return names[name.number]
  }
}
