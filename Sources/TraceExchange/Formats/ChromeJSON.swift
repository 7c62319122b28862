import TraceTables

/// The JSON format of chrome://tracing, which Perfetto UI and speedscope also read.
///
/// Source: "Trace Event Format", the document of the Chromium project. Slices of threads are pairs of `B` and `E`
/// events: viewers nest them in the order of the file, so slices without length nest correctly, which `X` events do
/// not. Slices outside threads are pairs of `b` and `e` events, which may overlap.
final class ChromeJSON: SliceFormat {
  static let hasOtherTracks = true
  var bytes: [UInt8] = []
  private let process: Int
  private var isFirst = true
  private var asynchronous = 0

  init(_ program: ExportedProgram) {
    process = program.processID
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

  func begin(_ slice: Slice, on track: Track) { event("B", slice, on: track) }

  func end(on track: Track, at ns: UInt64, _ arguments: [Argument], isOpen: Bool) {
    // A slice without an end is shown as unfinished.
    guard !isOpen else { return }
    beginEvent("E", at: ns, thread: ChromeJSON.thread(track))
    finishEvent(arguments)
  }

  func add(_ slice: Slice, to ns: UInt64, on track: Track, isOpen: Bool) {
    asynchronous += 1
    let id = asynchronous
    var begin = slice
    begin.arguments.append(Argument("track", track.name))
    event("b", begin, on: track) { $0 += #","id":\#(id)"#.utf8 }
    guard !isOpen else { return }
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
    beginEvent("C", at: ns, thread: 0)
    bytes += #","name":"#.utf8
    JSONString.append(track.name, to: &bytes)
    bytes += #","args":{"value":\#(value)}}"#.utf8
  }

  func finish() { bytes += "]}\n".utf8 }

  // MARK: Events

  private static func thread(_ track: Track) -> Int {
    if case .thread(let id, _) = track.kind { id } else { 0 }
  }

  private func metadata(_ name: String, thread: Int, _ argument: Argument) {
    beginEvent("M", at: 0, thread: thread)
    bytes += #","name":"\#(name)""#.utf8
    finishEvent([argument])
  }

  private func event(
    _ phase: String, _ slice: Slice, on track: Track, _ more: (inout [UInt8]) -> Void = { _ in }
  ) {
    beginEvent(phase, at: slice.start, thread: ChromeJSON.thread(track))
    more(&bytes)
    bytes += #","name":"#.utf8
    JSONString.append(slice.name.text, to: &bytes)
    bytes += #","cat":"#.utf8
    JSONString.append(slice.category.text, to: &bytes)
    finishEvent(slice.arguments)
  }

  private func beginEvent(_ phase: String, at ns: UInt64, thread: Int) {
    bytes += (isFirst ? "\n" : ",\n").utf8
    isFirst = false
    bytes += #"{"ph":"\#(phase)","pid":\#(process),"tid":\#(thread),"ts":"#.utf8
    append(microseconds: ns)
  }

  private func finishEvent(_ arguments: [Argument]) {
    if !arguments.isEmpty {
      bytes += #","args":"#.utf8
      JSONString.append(arguments, to: &bytes)
    }
    bytes += "}".utf8
  }

  /// Appends a time in microseconds with three decimals, which is exact.
  private func append(microseconds ns: UInt64) {
    let rest = String(ns % 1000)
    bytes += "\(ns / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)".utf8
  }
}
