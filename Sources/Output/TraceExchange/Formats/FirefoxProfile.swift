import TraceTables

extension TimelineFormat {
  package static let firefox = TimelineFormat(
    name: "firefox", viewer: "https://profiler.firefox.com",
    // The tables of the file are kept in memory.
    usualSlices: 200_000, writer: FirefoxProfile.self)
}

/// The processed profile format of Firefox Profiler, version 50.
///
/// Source: the type definitions, the upgraders and `CHANGELOG-formats.md` of the project
/// firefox-devtools/profiler. Newer front ends convert the older version when they load the file.
///
/// Each track is a thread of the profile. Its slices and instants are markers. The slices of a real thread also
/// form the call tree: a sample for each time the stack changes, with the time until the next change as its
/// weight. The weight of a sample without a stack is 0, so the weights of a thread add up to its outermost
/// slices. `eventDelay` is not written, because slices do not show when a loop was busy. Sampled stacks are a thread of
/// their own beside the thread that they are of.
///
/// The count of a counter is its value times the milliseconds since the previous sample, because the graph shows
/// counts per millisecond. Counters say in `display` how to show them, which front ends read since version 62;
/// older ones leave them out.
///
/// A thread's tables are columns, so the whole file is written in `finish()`.
final class FirefoxProfile: SliceFormat {
  static let hasOtherTracks = true
  var bytes: [UInt8] = []
  private let program: ExportedProgram
  private var threads: [FirefoxThread] = []
  private var threadByTrack: [Int: FirefoxThread] = [:]
  private var counters: [FirefoxCounter] = []
  private var counterByTrack: [Int: FirefoxCounter] = [:]
  private var categories = FirefoxCategories()
  private var endNs: UInt64 = 0

  /// The largest number of threads that the front end shows at first.
  private static let shownThreads = 100

  init(_ program: ExportedProgram) { self.program = program }

  func add(_ track: Track) {
    if case .counter(let unit) = track.kind {
      let counter = FirefoxCounter(name: track.name, unit: unit)
      counters.append(counter)
      counterByTrack[track.number] = counter
    } else {
      addThread(track)
    }
  }

  func begin(_ slice: Slice, on track: Track) {
    guard let thread = threadByTrack[track.number] else { return }
    note(slice.start)
    thread.begin(slice, categories.place(slice.category))
  }

  func end(_ slice: Slice, on track: Track, at ns: UInt64, _ arguments: [Argument]) {
    guard let thread = threadByTrack[track.number], let marker = thread.end(at: ns) else { return }
    note(ns)
    setData(of: marker, on: thread, slice, arguments, isNested: true)
  }

  func add(_ slice: Slice, to ns: UInt64, on track: Track) {
    addMarker(slice, to: max(ns, slice.start), on: track)
  }

  func addInstant(_ slice: Slice, on track: Track) { addMarker(slice, to: nil, on: track) }

  func addCounter(_ value: Int, at ns: UInt64, on track: Track) {
    guard let counter = counterByTrack[track.number] else { return }
    note(ns)
    counter.add(value, at: ns)
  }

  func add(_ stacks: StackSamples) {
    let category = categories.place(Name(number: .max, text: "function"))
    let last = threadByTrack.keys.max() ?? 0
    for (place, sampled) in stacks.threads.enumerated() {
      let thread = FirefoxThread(
        Track(number: last + 1 + place, name: "stacks of \(sampled.track.name)", kind: .other))
      thread.add(sampled.samples, of: stacks, category)
      threads.append(thread)
    }
    note(stacks.samples.map { $0.start &+ $0.duration }.max() ?? 0)
  }

  func finish() {
    if threads.isEmpty { addThread(Track(number: 0, name: program.name, kind: .other)) }
    for thread in threads { thread.finish() }
    let process = String(program.processID)
    bytes += #"{"meta":"#.utf8
    appendMeta()
    bytes += #","libs":[],"counters":["#.utf8
    appendCounters(process: process)
    bytes += #"],"threads":["#.utf8
    let main = mainPlace
    // Each thread is released when it has been written.
    threadByTrack = [:]
    let count = threads.count
    threads.reverse()
    while let thread = threads.popLast() {
      let place = count - threads.count - 1
      bytes += (place == 0 ? "\n" : ",\n").utf8
      thread.append(to: &bytes, isMain: place == main, process: process, processName: program.name)
    }
    bytes += "]}\n".utf8
  }

  // MARK: Markers

  private func note(_ ns: UInt64) { endNs = max(endNs, ns) }

  private func addThread(_ track: Track) {
    let thread = FirefoxThread(track)
    threads.append(thread)
    threadByTrack[track.number] = thread
  }

  private func addMarker(_ slice: Slice, to end: UInt64?, on track: Track) {
    guard let thread = threadByTrack[track.number] else { return }
    note(end ?? slice.start)
    let marker = thread.addMarker(slice, to: end, categories.place(slice.category))
    setData(of: marker, on: thread, slice, [], isNested: false)
  }

  private func setData(
    of marker: Int, on thread: FirefoxThread, _ slice: Slice, _ more: [Argument], isNested: Bool
  ) {
    let arguments = (slice.arguments + more).map(FirefoxCategories.renamed)
    categories.note(slice.category, arguments, isNested: isNested)
    thread.setData([Argument("type", slice.category.text)] + arguments, of: marker)
  }

  // MARK: The parts of the file

  /// The index of the main thread, or of the first thread if none is the main thread.
  private var selectedPlace: Int { mainPlace ?? threads.firstIndex { $0.isThread } ?? 0 }

  private var mainPlace: Int? { threads.firstIndex { $0.isMain } }

  private func appendMeta() {
    bytes += #"{"interval":1,"startTime":"#.utf8
    bytes.append(milliseconds: program.origin?.realtimeNs ?? 0)
    bytes += #","processType":0,"stackwalk":0,"version":30,"preprocessedProfileVersion":50,"product":"#.utf8
    JSONString.append(program.name, to: &bytes)
    bytes += #","importedFrom":"rltrace","symbolicationNotSupported":true,"usesOnlyOneStackType":true"#.utf8
    bytes += #","doesNotUseFrameImplementation":true,"sourceCodeIsNotOnSearchfox":true"#.utf8
    bytes += #","keepProfileThreadOrder":true,"initialSelectedThreads":[\#(selectedPlace)]"#.utf8
    var shown = Array(threads.indices.prefix(Self.shownThreads))
    if selectedPlace >= shown.count { shown.append(selectedPlace) }
    bytes += #","initialVisibleThreads":\#("[" + shown.map(String.init).joined(separator: ",") + "]")"#.utf8
    bytes += #","extra":[{"label":"Recording","entries":["#.utf8
    appendFacts()
    bytes += "]}]".utf8
    categories.append(to: &bytes)
    bytes += "}".utf8
  }

  private func appendFacts() {
    for (number, fact) in program.facts.enumerated() {
      bytes += (number == 0 ? #"{"label":"# : #",{"label":"#).utf8
      JSONString.append(fact.key, to: &bytes)
      bytes += #","format":"\#(fact.firefoxFormat)","value":"#.utf8
      switch fact.value {
      case .integer(let value): bytes.appendDecimal(value)
      case .text(let text): JSONString.append(text, to: &bytes)
      }
      bytes += "}".utf8
    }
  }

  private func appendCounters(process: String) {
    let place = selectedPlace
    // The front end cannot show a counter without a sample.
    for (number, counter) in counters.filter({ !$0.isEmpty }).enumerated() {
      if number > 0 { bytes += ",".utf8 }
      counter.append(to: &bytes, until: endNs, process: process, mainThread: place)
    }
  }
}
