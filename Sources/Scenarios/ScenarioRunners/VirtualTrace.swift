import Scenario
import TraceFormat

/// Writes events of model loops into a trace. Its threads are the loop's, one for all others of the program, the
/// recorder's own, and the workers'.
final class VirtualTrace {
  enum Thread: Hashable {
    case loop, others, recorder
    /// Numbered from 0.
    case worker(Int, name: String)

    var index: UInt32 {
      switch self {
      case .loop: 0
      case .others: 1
      case .recorder: 2
      case .worker(let number, _): 3 + UInt32(number)
      }
    }

    var hasLoop: Bool { self != .others && self != .recorder }

    /// `isOnMain`: whether the loop's thread is the main one.
    func definition(isOnMain: Bool) -> ThreadDefinition {
      switch self {
      case .loop:
        ThreadDefinition(index: index, osThread: 1, isMain: isOnMain, name: isOnMain ? "main" : "loop")
      case .others: ThreadDefinition(index: index, osThread: 2, isMain: false, name: "other threads")
      case .recorder:
        ThreadDefinition(index: index, osThread: 0, isMain: false, name: ThreadDefinition.recorderName)
      case .worker(let number, let name):
        ThreadDefinition(index: index, osThread: 3 + UInt64(number), isMain: false, name: name)
      }
    }
  }

  private let writer: TraceWriter
  private let unitNs: UInt64
  private let isOnMain: Bool
  /// Returns the time of the loop that is being played.
  var nowNs: () -> UInt64 = { 0 }
  private var buffers: [Thread: EventBuffer] = [:]
  private var names = NameIDs()
  private var nextObject: UInt32 = 1
  private var failure: TraceFormatError?
  /// The modes of the loop's runs; the last one is the innermost.
  private var modeStack: [UInt8] = []
  /// The thread that acts at present.
  var thread = Thread.loop
  /// The creation site that the trace gives for a timer.
  var siteOfTimer: (Scenario.Timer) -> String = \.name
  private var eventsLeft: Int
  private var clockChangesLeft = VirtualLimits.clockChanges
  /// How far the wall clock was set forward, in two's complement.
  private var clockSetNs: UInt64 = 0
  /// Called when there are more events than a trace may have.
  var onExcess: () -> Void = {}

  /// The wall-clock time at which virtual time begins: 2001-01-01.
  static let realtimeStartNs: UInt64 = 978_307_200_000_000_000

  init(
    sink: any ByteSink, unit: TimeUnit, codec: any BlockCodec, info: [InfoEntry], eventLimit: Int,
    isOnMain: Bool
  ) throws(TraceFormatError) {
    self.isOnMain = isOnMain
    eventsLeft = eventLimit
    writer = try TraceWriter(
      sink: sink,
      header: FileHeader(
        timeUnit: unit, codec: codec.id, captureLevel: .callouts, clock: .virtual, hasHighStamps: true),
      codec: codec)
    try writer.write(info)
    try writer.write([Thread.loop.definition(isOnMain: isOnMain)])
    unitNs = unit.nanoseconds
    try writer.write([sync(at: nowNs())])
  }

  func definition(of thread: Thread) -> ThreadDefinition { thread.definition(isOnMain: isOnMain) }

  private func sync(at now: UInt64) -> SyncPoint {
    SyncPoint(
      time: now / unitNs, monotonicNs: now, boottimeNs: now,
      realtimeNs: VirtualTrace.realtimeStartNs &+ now &+ clockSetNs)
  }

  /// Sets the wall clock. The sync points just before the change and at it show the step.
  func setClock(byNs: Int64) {
    clockChangesLeft -= 1
    guard clockChangesLeft >= 0 else { return onExcess() }
    let now = nowNs()
    if now >= unitNs { write(sync(at: now - unitNs)) }
    clockSetNs &+= UInt64(bitPattern: byNs)
    write(sync(at: now))
  }

  private func write(_ point: SyncPoint) {
    do throws(TraceFormatError) {
      if failure == nil { try writer.write([point]) }
    } catch {
      failure = error
    }
  }

  // MARK: Names

  func string(_ text: String) -> UInt64 { UInt64(names.string(text)) }
  func mode(_ name: String) -> UInt64 { UInt64(names.mode(name)) }

  /// Returns a new object id. The program does not reuse ids, because a scenario creates few objects except blocks.
  func object() -> UInt32 {
    defer { nextObject += 1 }
    return ObjectID(number: nextObject).rawValue
  }

  // MARK: Events

  func entered(mode name: String) { modeStack.append(names.mode(name)) }
  func left() { if !modeStack.isEmpty { modeStack.removeLast() } }

  /// Converts a moment to the trace's units. A moment before the origin is negative, in two's complement.
  func moment(_ ns: UInt64) -> UInt64 { UInt64(bitPattern: Int64(bitPattern: ns) / Int64(unitNs)) }

  func emit(_ kind: EventKind, object: UInt32 = 0, _ arguments: [UInt64] = []) {
    eventsLeft -= 1
    guard eventsLeft >= 0 else { return onExcess() }
    let mode = thread.hasLoop ? modeStack.last ?? 0 : 0
    let buffer = self.buffer(of: thread)
    if buffer.isFull { flush(thread, buffer) }
    let time = nowNs() / unitNs
    if arguments.isEmpty {
      buffer.append(time: time, kind: kind.rawValue, mode: mode, object: object)
    } else {
      buffer.append(time: time, kind: kind.rawValue, mode: mode, object: object, arguments: arguments)
    }
  }

  /// Writes an event of a run function, which carries the requested mode.
  func emitInMode(_ name: String, _ kind: EventKind, object: UInt32, _ arguments: [UInt64]) {
    modeStack.append(names.mode(name))
    emit(kind, object: object, arguments)
    modeStack.removeLast()
  }

  private func buffer(of thread: Thread) -> EventBuffer {
    if let buffer = buffers[thread] { return buffer }
    let buffer = EventBuffer()
    buffers[thread] = buffer
    return buffer
  }

  private func flush(_ thread: Thread, _ buffer: EventBuffer) {
    do throws(TraceFormatError) {
      if failure == nil {
        try names.write(to: writer)
        try writer.write(buffer, thread: thread.index)
      }
    } catch {
      failure = error
    }
    buffer.removeAll()
  }

  /// Whether there were more events than a trace may have.
  var hasExcess: Bool { eventsLeft < 0 }
  var hasExcessOfClockChanges: Bool { clockChangesLeft < 0 }

  /// Completes the trace. Returns the numbers of events and bytes.
  func close() throws(TraceFormatError) -> (events: UInt64, bytes: UInt64) {
    // The threads that did something. The loop's thread is already defined.
    let threads = buffers.ordered { $0.key.index < $1.key.index }
    for (thread, buffer) in threads { flush(thread, buffer) }
    if let failure { throw failure }
    try writer.write(threads.map(\.key).filter { $0 != .loop }.map(definition))
    if buffers[.recorder] != nil {
      try writer.write([InfoEntry(recorderThread: Thread.recorder.index)])
    }
    try writer.write([sync(at: nowNs())])
    try writer.close()
    return (writer.eventCount, writer.byteCount)
  }
}
