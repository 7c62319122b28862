import TraceAnalysis
import TraceFacts
import TraceFormat
import TraceReplay

/// Turns the facts of a recording into the tracks and slices of a `SliceFormat`.
///
/// Slices of threads are written while the facts arrive: run > pass > waiting and callouts. Memory grows with the number
/// of tracks, queues and names, not with the number of slices.
final class SliceWalk: FactSink {
  let wantsBegins = true
  let format: any SliceFormat
  let names: TraceNames
  private let unitNs: UInt64
  private let threadNames: [UInt32: ThreadDefinition]
  let minimumNs: UInt64
  /// The names of timers whose frames are written, besides those that the program declared.
  private let frameSources: Set<String>
  private(set) var budget: SliceBudget
  var tracks: TrackTable
  private var threads: [ThreadSlices] = []
  private var places: [UInt32: Int] = [:]
  /// The thread of the last fact, and its index in `threads`.
  private var current: (thread: UInt32, place: Int)?
  private var intervals: [UInt32: (name: UInt32, start: UInt64)] = [:]
  /// By the string id of a state's name: its value, and since when it has it, in nanoseconds.
  private var states: [UInt32: (value: UInt32, start: UInt64)] = [:]
  var queues = QueueTracks()
  private var texts: [String: Name] = [:]
  private var modes: [UInt8: Name] = [:]
  private var callouts: [CalloutKey: (name: Name, category: Name)] = [:]
  private lazy var runText = text("run")
  private lazy var passText = text("pass")
  private lazy var waitingText = text("waiting")
  /// Called when the format holds many bytes.
  private let flush: () -> Void

  private struct CalloutKey: Hashable {
    var kind: UInt8
    var name: UInt32
    /// 0 if the callout has a name.
    var object: UInt32
  }

  private struct ThreadSlices {
    var track: Track
    var open = NestedSpans<Slice>()
    /// The number of open slices whose beginning is written. The others are inside them, and so far shorter than the
    /// minimum.
    var written = 0
    /// The time of the last beginning or end, in nanoseconds.
    var lastNs: UInt64 = 0
  }

  init(
    _ format: any SliceFormat, reader: TraceReader, frameSources: Set<String>, minimumNs: UInt64,
    budget: SliceBudget, flush: @escaping () -> Void
  ) {
    self.format = format
    names = TraceNames(reader)
    unitNs = reader.header.timeUnit.nanoseconds
    threadNames = reader.threads
    self.minimumNs = minimumNs
    self.frameSources = frameSources
    self.budget = budget
    tracks = TrackTable(format)
    self.flush = flush
  }

  // MARK: Threads

  func begin(_ span: SpanBegin) {
    let start = ns(span.start)
    let (name, category): (Name, Name) =
      switch span.what {
      case .run: (mode(span.mode), runText)
      case .pass: (passText, passText)
      case .wait: (waitingText, waitingText)
      case .callout(let kind, let object, let name, _): callout(kind, object, name)
      }
    withThread(span.thread) { thread in
      thread.lastNs = max(thread.lastNs, start)
      thread.open.begin(span.what, Slice(name: name, category: category, start: start))
      writeLong(&thread, at: start)
    }
  }

  func pass(_ pass: PassFact) {
    let more = [Argument("nested_ns", ns(pass.nested)), Argument("suspended_ns", ns(pass.suspended))]
    end(pass.thread, at: pass.end, more, isOpen: false) { $0.endPass($1) }
  }

  func wait(_ wait: WaitEnd) {
    end(wait.thread, at: wait.end, [], isOpen: false) { $0.endWait($1) }
  }

  func run(_ run: RunFact) {
    end(run.thread, at: run.end, [], isOpen: run.isOpen) { $0.end(run, $1) }
  }

  func callout(_ callout: CalloutFact) {
    var more = [Argument("nested_ns", ns(callout.nested)), Argument("suspended_ns", ns(callout.suspended))]
    if let queue = callout.queue { more += addSlice(callout, of: queue) }
    end(callout.thread, at: callout.end, more, isOpen: callout.isOpen) { $0.end(callout, $1) }
  }

  private func end(
    _ thread: UInt32, at time: UInt64, _ arguments: [Argument], isOpen: Bool,
    _ body: (inout NestedSpans<Slice>, (Slice, Bool) -> Void) -> Void
  ) {
    withThread(thread) { thread in
      end(&thread, at: ns(time), arguments, isOpen: isOpen, body)
    }
    if format.bytes.count >= SliceWalk.flushedBytes { flush() }
  }

  private func end(
    _ thread: inout ThreadSlices, at end: UInt64, _ arguments: [Argument], isOpen: Bool,
    _ body: (inout NestedSpans<Slice>, (Slice, Bool) -> Void) -> Void
  ) {
    thread.lastNs = max(thread.lastNs, end)
    writeLong(&thread, at: end)
    let track = thread.track
    var (rest, written) = (thread.open.count, thread.written)
    body(&thread.open) { slice, isIts in
      rest -= 1
      guard rest < written else { return budget.omit(end &- slice.start) }
      written = rest
      // Leaves out arguments that are zero, to keep the file small.
      var known = isIts ? arguments.filter { if case .integer(0) = $0.value { false } else { true } } : []
      if isOpen { known.append(.unfinished) }
      budget.note(end &- slice.start)
      if !budget.isExceeded { format.end(slice, on: track, at: end, known) }
    }
    thread.written = written
  }

  private static let flushedBytes = 1 << 16

  /// Begins the open slices that are long enough by now, the outermost first.
  private func writeLong(_ thread: inout ThreadSlices, at time: UInt64) {
    while thread.written < thread.open.count {
      let slice = thread.open[thread.written]
      guard time &- slice.start >= minimumNs else { return }
      thread.written += 1
      budget.use(at: slice.start)
      if !budget.isExceeded { format.begin(slice, on: thread.track) }
    }
  }

  private func withThread(_ index: UInt32, _ body: (inout ThreadSlices) -> Void) {
    body(&threads[place(of: index)])
  }

  private func place(of thread: UInt32) -> Int {
    if let current, current.thread == thread { return current.place }
    let place = places[thread] ?? threads.count
    if place == threads.count {
      places[thread] = place
      threads.append(ThreadSlices(track: tracks.thread(thread, threadNames[thread])))
    }
    current = (thread, place)
    return place
  }

  // MARK: Timers

  func points(_ points: PointFact) {
    guard type(of: format).hasOtherTracks, let due = points.due.map(ns) else { return }
    let name = names.timer(
      name: StringID(points.name), site: StringID(points.site), createdBefore: ObjectID(points.createdBefore))
    let track = tracks.overdue(points.object, name)
    var slice = Slice(name: text(points.outcome.name), category: text("overdue"), start: due)
    slice.arguments = [Argument("timer", name), Argument("mode", names.mode(ModeID(points.mode)))]
    if let cause = points.cause { slice.arguments.append(Argument("cause", cause.name)) }
    guard let end = points.end.map(ns) else {
      slice.arguments.append(Argument("count", points.count))
      if let last = points.lastDue, points.count > 1 {
        slice.arguments.append(Argument("last_due_ns", ns(last)))
      }
      return addInstant(slice, on: track)
    }
    if points.outcome == .fired {
      slice.arguments.append(Argument("lateness_ns", ns(points.lateness)))
      for cause in Cause.allCases where points.causes[cause.rawValue] > 0 {
        slice.arguments.append(Argument("ledger_ns.\(cause.name)", ns(points.causes[cause.rawValue])))
      }
    }
    // A fire before its due point is not overdue.
    add(slice, to: max(end, due), on: track, isOpen: points.outcome == .pending)
  }

  func frame(_ frame: FrameFact) {
    guard type(of: format).hasOtherTracks else { return }
    let name = names.timer(
      name: StringID(frame.name), site: StringID(frame.site), createdBefore: ObjectID(frame.createdBefore))
    // Whether any other timer is a source is known only at the end.
    guard frame.isDeclared || frameSources.contains(name) else { return }
    var slice = Slice(name: text(frame.outcome.name), category: text("frame"), start: ns(frame.due))
    slice.arguments = [Argument("timer", name), Argument("presented_ns", ns(frame.presented))]
    addLane(slice, to: ns(max(frame.ready, frame.due)), "frames: \(name)")
  }

  // MARK: The program and its recording

  func mark(_ mark: MarkFact) {
    guard type(of: format).hasOtherTracks else { return }
    let time = ns(mark.time)
    switch mark.what {
    case .mark:
      addInstant(
        Slice(name: string(mark.name, "mark"), category: text("mark"), start: time), on: tracks.named("marks")
      )
    case .intervalBegin: intervals[mark.object] = (mark.name, time)
    case .intervalEnd:
      if let begin = intervals.removeValue(forKey: mark.object) {
        addInterval(begin, to: time, isOpen: false)
      }
    }
  }

  private func addInterval(_ begin: (name: UInt32, start: UInt64), to end: UInt64, isOpen: Bool) {
    let name = string(begin.name, "interval")
    let slice = Slice(name: name, category: text("interval"), start: begin.start)
    addLane(slice, to: max(end, begin.start), "interval: \(name.text)", isOpen: isOpen)
  }

  func state(_ state: StateFact) {
    guard type(of: format).hasOtherTracks else { return }
    let time = ns(state.time)
    endState(state.name, at: time, isOpen: false)
    if state.value != 0 { states[state.name] = (state.value, time) }
  }

  /// Adds the slice of the value that a state has had until now.
  private func endState(_ name: UInt32, at end: UInt64, isOpen: Bool) {
    guard let ending = states.removeValue(forKey: name) else { return }
    let slice = Slice(
      name: string(ending.value, "value"), category: text("state"), start: ending.start)
    addLane(slice, to: max(end, ending.start), "state: \(string(name, "state").text)", isOpen: isOpen)
  }

  func suspension(_ suspension: SuspensionFact) {
    let slice = Slice(name: text("suspended"), category: text("suspended"), start: ns(suspension.start))
    addLane(slice, to: ns(suspension.end), "suspended")
  }

  func loss(_ loss: LossFact) {
    let thread = threadNames[loss.thread].map(\.name) ?? "thread \(loss.thread)"
    let slice = Slice(
      name: text("lost events"), category: text("loss"), start: ns(loss.start),
      arguments: [Argument("events", loss.count), Argument("thread", thread)])
    addLane(slice, to: ns(loss.end), "lost events")
  }

  /// Adds what is open or known only at the end.
  func finish(_ analysis: Analysis) {
    for place in threads.indices {
      end(&threads[place], at: max(analysis.trace.toNs, threads[place].lastNs), [], isOpen: true) {
        $0.endAll($1)
      }
    }
    if type(of: format).hasOtherTracks { finishOtherTracks(analysis) }
    addStacks(of: analysis)
  }

  private func finishOtherTracks(_ analysis: Analysis) {
    for object in intervals.keys.sorted() {
      if let begin = intervals[object] { addInterval(begin, to: analysis.trace.toNs, isOpen: true) }
    }
    for name in states.keys.sorted() { endState(name, at: analysis.trace.toNs, isOpen: true) }
    finishWaiting(at: analysis.trace.toNs)
    addResults(of: analysis)
  }

  private func addStacks(of analysis: Analysis) {
    guard !budget.isExceeded else { return }
    let stacks = StackSamples(analysis) { threads[place(of: $0)].track }
    if !stacks.samples.isEmpty { format.add(stacks) }
  }

  // MARK: Output

  /// Adds a slice that may overlap others of its kind, on the first free track of that name.
  func addLane(_ slice: Slice, to end: UInt64, _ name: String, isOpen: Bool = false) {
    guard type(of: format).hasOtherTracks else { return }
    add(slice, to: end, on: tracks.lane(name, from: slice.start, to: end), isOpen: isOpen)
  }

  private func add(_ slice: Slice, to end: UInt64, on track: Track, isOpen: Bool) {
    guard end &- slice.start >= minimumNs else { return budget.omit(end &- slice.start) }
    budget.use(at: slice.start)
    budget.note(end &- slice.start)
    var slice = slice
    if isOpen { slice.arguments.append(.unfinished) }
    if !budget.isExceeded { format.add(slice, to: end, on: track) }
  }

  private func addInstant(_ slice: Slice, on track: Track) {
    budget.useInstant(at: slice.start)
    if !budget.isExceeded { format.addInstant(slice, on: track) }
  }

  func addCounter(_ value: Int, at ns: UInt64, on track: Track) {
    format.addCounter(value, at: ns, on: track)
  }

  // MARK: Names

  func text(_ text: String) -> Name {
    if let known = texts[text] { return known }
    let name = Name(number: texts.count + 1, text: text)
    texts[text] = name
    return name
  }

  private func string(_ id: UInt32, _ otherwise: String) -> Name {
    text(names.string(StringID(id)) ?? otherwise)
  }

  private func mode(_ id: UInt8) -> Name {
    if let known = modes[id] { return known }
    let name = text(names.mode(ModeID(id)))
    modes[id] = name
    return name
  }

  func callout(
    _ kind: UInt8, _ object: UInt32, _ name: UInt32
  ) -> (name: Name, category: Name) {
    let key = CalloutKey(kind: kind, name: name, object: name == 0 ? object : 0)
    if let known = callouts[key] { return known }
    let found = (
      name: text(names.callout(EventKind(kind), StringID(name), object: ObjectID(object))),
      category: text(names.calloutKind(EventKind(kind)))
    )
    callouts[key] = found
    return found
  }

  func ns(_ time: UInt64) -> UInt64 { time &* unitNs }
}
