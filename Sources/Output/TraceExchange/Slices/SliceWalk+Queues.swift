import TraceAnalysis
import TraceFacts
import TraceFormat
import TraceReplay

/// The names of queues, and the work that waits in them.
struct QueueTracks {
  struct Texts {
    var name: String
    var lane: String
    /// The track of the counter.
    var waiting: String
  }

  /// The pieces of work that wait in the queues of one name.
  struct Waiting {
    var count = 0
    /// Since when it has this value, in nanoseconds.
    var since: UInt64 = 0
    /// The value that was written last.
    var written = 0
  }

  /// By the string id of the name, or by the object of a queue without a name.
  private var known: [SIMD2<UInt32>: Texts] = [:]
  /// By queue.
  private var counts: [UInt32: Int] = [:]
  /// By track.
  var waiting: [String: Waiting] = [:]

  mutating func texts(_ name: UInt32, _ object: UInt32, _ names: TraceNames) -> Texts {
    let key = name == 0 ? SIMD2(0, object) : SIMD2(name, 0)
    if let texts = known[key] { return texts }
    let shown = names.queue(StringID(name), object: ObjectID(object))
    let made = Texts(name: shown, lane: "queue: \(shown)", waiting: "waiting: \(shown)")
    known[key] = made
    return made
  }

  /// Sets how many pieces wait in a queue. Returns the change.
  mutating func set(_ queue: UInt32, _ count: Int) -> Int {
    count - (counts.updateValue(count, forKey: queue) ?? 0)
  }
}

/// Slices of work by queue, and how much work waits there.
extension SliceWalk {
  /// Adds a slice of work to the tracks of its queue, and returns the arguments of the same slice on its thread.
  func addSlice(_ work: CalloutFact, of queue: ServingQueue) -> [Argument] {
    let texts = queues.texts(queue.name, queue.object, names)
    let waited = Argument("waited_ns", ns(queue.waited))
    // The slice on the thread counts as left out.
    if ns(work.end &- work.start) >= minimumNs {
      let (name, category) = callout(work.kind, work.object, work.name)
      var slice = Slice(name: name, category: category, start: ns(work.start))
      slice.arguments = [Argument("thread", UInt64(work.thread))]
      if queue.waited > 0 { slice.arguments.append(waited) }
      addLane(slice, to: ns(work.end), texts.lane, isOpen: work.isOpen)
    }
    return [Argument("queue", texts.name), waited]
  }

  func waiting(_ fact: WaitingFact) {
    guard type(of: format).hasOtherTracks else { return }
    let track = queues.texts(fact.queueName, fact.queue, names).waiting
    var waiting = queues.waiting[track] ?? QueueTracks.Waiting()
    write(&waiting, track, until: ns(fact.time))
    waiting.count += queues.set(fact.queue, Int(fact.count))
    waiting.since = ns(fact.time)
    queues.waiting[track] = waiting
  }

  func finishWaiting(at end: UInt64) {
    for track in queues.waiting.keys.sorted() {
      if var waiting = queues.waiting[track] { write(&waiting, track, until: end) }
    }
  }

  /// Writes a value that is new and has lasted for the shortest length of slices.
  private func write(_ waiting: inout QueueTracks.Waiting, _ track: String, until end: UInt64) {
    guard waiting.count != waiting.written, end &- waiting.since >= minimumNs, !budget.isExceeded else {
      return
    }
    waiting.written = waiting.count
    addCounter(waiting.count, at: waiting.since, on: tracks.named(track, .counter(unit: "pieces of work")))
  }
}
