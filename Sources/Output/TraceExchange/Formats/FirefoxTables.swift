import ReportWriting
import TraceTables

/// The tables of one thread of the profile.
final class FirefoxThread {
  private let track: Track
  /// The names that the thread uses; each is also a function.
  private var names: [String] = []
  private var namePlaces: [Int: Int32] = [:]
  /// Each frame has a name and a category.
  private var frames = PairTable()
  /// Each stack has a prefix, -1 for an outermost frame, and a frame.
  private var stacks = PairTable()
  private var markers = Markers()
  private var samples = Samples()
  private var open: [(start: UInt64, marker: Int, stack: Int32)] = []

  private struct Markers {
    var names: [Int32] = []
    var categories: [Int32] = []
    var starts: [UInt64] = []
    var ends: [UInt64] = []
    var isInstant: [Bool] = []
    /// The range of each marker's data in `text`, which holds the markers in the order in which they ended.
    var data: [Range<Int>] = []
    var text: [UInt8] = []
  }

  private struct Samples {
    var times: [UInt64] = []
    /// -1 = outside slices.
    var stacks: [Int32] = []
    var weights: [UInt64] = []
    /// The end of the last sample.
    var end: UInt64 = 0
  }

  init(_ track: Track) { self.track = track }

  var isThread: Bool {
    if case .thread = track.kind { true } else { false }
  }

  var isMain: Bool {
    if case .thread(_, let isMain) = track.kind { isMain } else { false }
  }

  // MARK: Slices

  func begin(_ slice: Slice, _ category: Int32) {
    addSample(until: slice.start)
    let marker = addMarker(slice, to: slice.start, category)
    let stack = stacks.place(open.last?.stack ?? -1, frames.place(markers.names[marker], category))
    open.append((slice.start, marker, stack))
  }

  /// Ends the innermost slice. Returns its marker, which has no data yet.
  func end(at ns: UInt64) -> Int? {
    addSample(until: ns)
    guard let (start, marker, _) = open.popLast() else { return nil }
    markers.ends[marker] = max(ns, start)
    return marker
  }

  /// Adds a marker without data. An instant has no end.
  func addMarker(_ slice: Slice, to end: UInt64?, _ category: Int32) -> Int {
    markers.names.append(name(slice.name))
    markers.categories.append(category)
    markers.starts.append(slice.start)
    markers.ends.append(end ?? slice.start)
    markers.isInstant.append(end == nil)
    markers.data.append(0..<0)
    return markers.data.count - 1
  }

  func setData(_ arguments: [Argument], of marker: Int) {
    let start = markers.text.count
    JSONString.append(arguments, to: &markers.text)
    markers.data[marker] = start..<markers.text.count
  }

  /// Adds the last sample, which ends the one before it. The front end requires at least one.
  func finish() {
    if samples.stacks.last != -1 { addSample(-1, at: samples.end, length: 0) }
  }

  // MARK: Samples

  /// Adds the samples of a thread. Functions with the same name are one function.
  func add(_ samples: [StackSamples.Sample], of stacks: StackSamples, _ category: Int32) {
    var places: [String: Int32] = [:]
    var rows: [Int: Int32] = [:]
    for sample in samples {
      var row: Int32 = -1
      if let known = rows[sample.call] {
        row = known
      } else {
        for function in stacks.functions(from: sample.call) {
          let name = stacks.functions[function].name
          let place = places[name] ?? Int32(truncatingIfNeeded: names.count)
          if places.updateValue(place, forKey: name) == nil { names.append(name) }
          row = self.stacks.place(row, frames.place(place, category))
        }
        rows[sample.call] = row
      }
      addSample(row, from: sample.start, length: sample.duration)
    }
  }

  /// Adds a sample after a time without samples, if there is one.
  private func addSample(_ stack: Int32, from start: UInt64, length: UInt64) {
    if start > samples.end {
      if samples.stacks.last != -1 { addSample(-1, at: samples.end, length: 0) }
      samples.end = start
    }
    addSample(stack, at: samples.end, length: length)
    samples.end &+= length
  }

  // MARK: Rows

  /// Adds a sample for the time since the last change of the stack.
  private func addSample(until ns: UInt64) {
    guard ns > samples.end else { return }
    let stack = open.last?.stack ?? -1
    let length = stack < 0 ? 0 : ns - samples.end
    if samples.stacks.last == stack {
      samples.weights[samples.weights.count - 1] += length
    } else {
      addSample(stack, at: samples.end, length: length)
    }
    samples.end = ns
  }

  private func addSample(_ stack: Int32, at ns: UInt64, length: UInt64) {
    samples.times.append(ns)
    samples.stacks.append(stack)
    samples.weights.append(length)
  }

  private func name(_ name: Name) -> Int32 {
    if let known = namePlaces[name.number] { return known }
    let place = Int32(truncatingIfNeeded: names.count)
    names.append(name.text)
    namePlaces[name.number] = place
    return place
  }

  // MARK: Text

  func append(to bytes: inout [UInt8], isMain: Bool, process: String, processName: String) {
    bytes +=
      #"{"processType":"default","processStartupTime":0,"processShutdownTime":null,"registerTime":0"#.utf8
    bytes += #","unregisterTime":null,"pausedRanges":[],"showMarkersInTimeline":true,"name":"#.utf8
    JSONString.append(track.name, to: &bytes)
    bytes += #","isMainThread":\#(isMain),"processName":"#.utf8
    JSONString.append(processName, to: &bytes)
    bytes += #","pid":"\#(process)","tid":"#.utf8
    // Threads use their system ids. Other tracks use strings, so their ids cannot collide with those of threads.
    if case .thread(let id, _) = track.kind {
      bytes += "\(id)".utf8
    } else {
      bytes += "\"track \(track.number)\"".utf8
    }
    appendSamples(to: &bytes)
    appendMarkers(to: &bytes)
    appendStacks(to: &bytes)
    appendFunctions(to: &bytes)
    bytes += #","resourceTable":{"lib":[],"name":[],"host":[],"type":[],"length":0}"#.utf8
    bytes += #","nativeSymbols":{"libIndex":[],"address":[],"name":[],"functionSize":[],"length":0}"#.utf8
    bytes += #","stringArray":["#.utf8
    names.append(",", to: &bytes) { JSONString.append($0, to: &$1) }
    bytes += "]}".utf8
  }

  private func appendSamples(to bytes: inout [UInt8]) {
    let rows = samples.times.count
    bytes += #","samples":{"weightType":"tracing-ms","#.utf8
    bytes.append(column: "stack", samples.stacks)
    bytes.append(column: "time", rows: rows) { $1.append(milliseconds: samples.times[$0]) }
    bytes.append(column: "weight", rows: rows) { $1.append(milliseconds: samples.weights[$0]) }
    bytes.endTable(rows: rows)
  }

  private func appendMarkers(to bytes: inout [UInt8]) {
    let rows = markers.names.count
    bytes += #","markers":{"#.utf8
    bytes.append(column: "data", rows: rows) { $1 += markers.text[markers.data[$0]] }
    bytes.append(column: "name", markers.names)
    bytes.append(column: "startTime", rows: rows) { $1.append(milliseconds: markers.starts[$0]) }
    bytes.append(column: "endTime", rows: rows) { row, bytes in
      if markers.isInstant[row] {
        bytes += "null".utf8
      } else {
        bytes.append(milliseconds: markers.ends[row])
      }
    }
    // 0 = an instant, 1 = an interval.
    bytes.append(column: "phase", rows: rows) { $1.appendDecimal(markers.isInstant[$0] ? 0 : 1) }
    bytes.append(column: "category", markers.categories)
    bytes.endTable(rows: rows)
  }

  private func appendStacks(to bytes: inout [UInt8]) {
    let rows = stacks.second.count
    bytes += #","stackTable":{"#.utf8
    bytes.append(column: "frame", stacks.second)
    bytes.append(column: "prefix", stacks.first)
    bytes.append(column: "category", stacks.second.map { frames.second[Int($0)] })
    bytes.append(column: "subcategory", rows: rows, all: "0")
    bytes.endTable(rows: rows)
  }

  private func appendFunctions(to bytes: inout [UInt8]) {
    let rows = frames.first.count
    bytes += #","frameTable":{"#.utf8
    bytes.append(column: "address", rows: rows, all: "-1")
    bytes.append(column: "func", frames.first)
    bytes.append(column: "category", frames.second)
    for key in ["inlineDepth", "subcategory", "innerWindowID"] {
      bytes.append(column: key, rows: rows, all: "0")
    }
    for key in ["nativeSymbol", "implementation", "line", "column"] {
      bytes.append(column: key, rows: rows, all: "null")
    }
    bytes.endTable(rows: rows)
    bytes += #","funcTable":{"#.utf8
    bytes.append(column: "name", rows: names.count) { $1.appendDecimal(UInt64($0)) }
    bytes.append(column: "resource", rows: names.count, all: "-1")
    for key in ["isJS", "relevantForJS"] { bytes.append(column: key, rows: names.count, all: "false") }
    for key in ["fileName", "lineNumber", "columnNumber"] {
      bytes.append(column: key, rows: names.count, all: "null")
    }
    bytes.endTable(rows: names.count)
  }
}

/// Rows of two numbers, without duplicate pairs.
private struct PairTable {
  private(set) var first: [Int32] = []
  private(set) var second: [Int32] = []
  private var places: [SIMD2<Int32>: Int32] = [:]

  /// Returns the row of a pair, which is added if it is new.
  mutating func place(_ a: Int32, _ b: Int32) -> Int32 {
    if let known = places[SIMD2(a, b)] { return known }
    let place = Int32(truncatingIfNeeded: first.count)
    first.append(a)
    second.append(b)
    places[SIMD2(a, b)] = place
    return place
  }
}

/// A counter of the profile.
final class FirefoxCounter {
  private let name: String
  private let unit: String
  private var values: [Int] = []
  private var times: [UInt64] = []

  var isEmpty: Bool { values.isEmpty }

  init(name: String, unit: String) { (self.name, self.unit) = (name, unit) }

  /// The times must differ, because the front end divides by the intervals between them.
  func add(_ value: Int, at ns: UInt64) {
    if let last = times.last, ns <= last {
      values[values.count - 1] = value
    } else {
      values.append(value)
      times.append(ns)
    }
  }

  func append(to bytes: inout [UInt8], until end: UInt64, process: String, mainThread: Int) {
    var times = times
    if let last = times.last, last < end { times.append(end) }
    bytes += #"{"name":"#.utf8
    JSONString.append(name, to: &bytes)
    bytes += #","category":"rltrace","description":"#.utf8
    JSONString.append(unit, to: &bytes)
    bytes += #","color":"orange","pid":"\#(process)","mainThreadIndex":\#(mainThread),"samples":{"#.utf8
    bytes.append(column: "time", rows: times.count) { $1.append(milliseconds: times[$0]) }
    // A count belongs to the time before its sample, a value to the time after it.
    bytes.append(column: "count", rows: times.count) { row, bytes in
      guard row > 0 else { return bytes.appendDecimal(0) }
      let length = times[row] &- times[row - 1]
      if values[row - 1] < 0 { bytes += "-".utf8 }
      let (product, overflows) = UInt64(values[row - 1].magnitude).multipliedReportingOverflow(by: length)
      bytes.append(milliseconds: overflows ? .max : product)
    }
    bytes.endTable(rows: times.count)
    bytes +=
      #","display":{"graphType":"line-rate","unit":"","color":"orange","markerSchemaLocation":null"#.utf8
    bytes += #","sortWeight":50,"label":"#.utf8
    JSONString.append(name, to: &bytes)
    bytes += #","tooltipRows":[{"type":"value","source":"rate","format":{"unit":"number"},"label":"#.utf8
    JSONString.append(name, to: &bytes)
    bytes += "}]}}".utf8
  }
}

extension [UInt8] {
  /// Appends a time in milliseconds with up to six decimals, which is exact.
  mutating func append(milliseconds ns: UInt64) {
    appendDecimal(ns / 1_000_000)
    var rest = ns % 1_000_000
    guard rest > 0 else { return }
    append(UInt8(ascii: "."))
    var power: UInt64 = 100_000
    while rest > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / power))
      rest %= power
      power /= 10
    }
  }

  /// Appends a column of a table, and a comma.
  mutating func append(column key: String, rows: Int, _ cell: (Int, inout [UInt8]) -> Void) {
    self += #""\#(key)":["#.utf8
    for row in 0..<rows {
      if row > 0 { append(UInt8(ascii: ",")) }
      cell(row, &self)
    }
    self += "],".utf8
  }

  /// Appends a column of indices into another table; negative numbers are null.
  mutating func append(column key: String, _ values: [Int32]) {
    append(column: key, rows: values.count) { row, bytes in
      if values[row] < 0 { bytes += "null".utf8 } else { bytes.appendDecimal(UInt64(values[row])) }
    }
  }

  mutating func append(column key: String, rows: Int, all text: String) {
    append(column: key, rows: rows) { $1 += text.utf8 }
  }

  mutating func endTable(rows: Int) { self += #""length":\#(rows)}"#.utf8 }
}
