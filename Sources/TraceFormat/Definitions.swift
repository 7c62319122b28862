/// A thread of the recorded process.
public struct ThreadDefinition: Equatable, Sendable {
  /// Of the recorder's own thread.
  public static let recorderName = "(recorder)"

  /// Index in the trace, from 0; what events refer to.
  public var index: UInt32
  /// The operating system's thread id, 0 = unknown.
  public var osThread: UInt64
  public var isMain: Bool
  public var name: String

  public init(index: UInt32, osThread: UInt64, isMain: Bool, name: String) {
    self.index = index
    self.osThread = osThread
    self.isMain = isMain
    self.name = name
  }
}

/// A run-loop mode by name. Id 0 means "no mode"; id 255 stands for all modes beyond the table.
public struct ModeDefinition: Equatable, Sendable {
  public static let overflowID: UInt8 = 255
  public var id: UInt8
  public var name: String

  public init(id: UInt8, name: String) {
    self.id = id
    self.name = name
  }
}

/// One moment read on all clocks.
public struct SyncPoint: Equatable, Sendable {
  /// Trace time units since the origin.
  public var time: UInt64
  public var monotonicNs: UInt64
  /// Includes the time the system was asleep.
  public var boottimeNs: UInt64
  /// Since 1970-01-01 UTC.
  public var realtimeNs: UInt64

  public init(time: UInt64, monotonicNs: UInt64, boottimeNs: UInt64, realtimeNs: UInt64) {
    self.time = time
    self.monotonicNs = monotonicNs
    self.boottimeNs = boottimeNs
    self.realtimeNs = realtimeNs
  }
}

/// A string of the string table.
public struct StringDefinition: Equatable, Sendable {
  /// From 1; 0 means "none".
  public var id: UInt32
  public var text: String

  public init(id: UInt32, text: String) {
    self.id = id
    self.text = text
  }
}

/// A fact about the recording: program, machine, command line …
public struct InfoEntry: Equatable, Sendable {
  /// Where a trace begins whose older part was dropped, in its time units. Events before that moment say what lived
  /// then: they restate objects, open runs and open callouts.
  public static let beginsAt = "begins_at"
  /// How many events the older part had.
  public static let droppedEvents = "dropped_events"
  /// The name of a timer that is meant to wait.
  public static let deferrable = "deferrable"
  /// Why a snapshot was written.
  public static let snapshot = "snapshot"
  /// The id of the recorded process.
  public static let process = "process"
  /// The command line of the recorded process when it first used a run loop.
  public static let program = "program"
  /// The command line that was recorded.
  public static let command = "command"
  /// The folder in which the recording was started.
  public static let folder = "folder"
  /// There were timers or sources whose callouts, and so the objects themselves, were not recorded.
  public static let unwrappedCallouts = "unwrapped_callouts"
  /// The library that the run loops are of, and its build id.
  public static let foundation = "foundation"
  /// When the recorded process ended is not known: what is open where the trace ends may have gone on. A sentence for
  /// people; it stands in recovered traces of a process that did not record its own end.
  public static let endUnknown = "end_unknown"

  /// The index of a thread that is the recorder's own, one fact for each.
  public static let recorderThread = "recorder_thread"
  /// From one beat of the recorder to the next, in nanoseconds.
  public static let heartbeat = "heartbeat_ns"
  /// So long in one activity, in nanoseconds, and stacks of the loop's thread were sampled.
  public static let stallThreshold = "stall_threshold_ns"

  public var key: String
  public var value: String

  public init(key: String, value: String) {
    self.key = key
    self.value = value
  }

  public init(recorderThread index: UInt32) { self.init(key: InfoEntry.recorderThread, value: "\(index)") }
}

// MARK: Payloads

/// Something that stands in a definition block.
protocol DefinitionPayload: Equatable, Sendable {
  static var type: BlockType { get }
  /// Entries of a block.
  static var limit: Int { get }
  /// What a reader would refuse about the entry, nil if nothing.
  var excess: String? { get }
  func encode(into out: inout ByteWriter)
  init(_ reader: inout ByteReader) throws(PayloadError)
}

extension DefinitionPayload {
  var excess: String? { nil }

  static func encode(_ entries: [Self]) -> [UInt8] {
    var out = ByteWriter()
    for entry in entries { entry.encode(into: &out) }
    return out.bytes
  }

  static func decode(_ payload: UnsafeRawBufferPointer, count: Int) throws(PayloadError) -> [Self] {
    guard count <= limit else { throw .limit("\(count) entries, the limit is \(limit)") }
    var reader = ByteReader(payload)
    var entries: [Self] = []
    for _ in 0..<count { entries.append(try Self(&reader)) }
    guard reader.remaining == 0 else { throw .malformed("\(reader.remaining) bytes after the last entry") }
    return entries
  }
}

extension ByteWriter {
  /// Length, then UTF-8; cut at a character when above the limit.
  fileprivate mutating func appendString(_ text: String) {
    var utf8 = Array(text.utf8)
    if utf8.count > TraceLimits.stringBytes {
      var end = TraceLimits.stringBytes
      while end > 0, utf8[end] & 0xC0 == 0x80 { end -= 1 }
      utf8.removeSubrange(end...)
    }
    appendVarint(utf8.count)
    append(contentsOf: utf8)
  }
}

extension ByteReader {
  fileprivate mutating func string() throws(PayloadError) -> String {
    let length = try count(limit: TraceLimits.stringBytes, "bytes of a string")
    // Bytes that are not UTF-8 become U+FFFD: a name is for people.
    return String(decoding: try take(length), as: UTF8.self)
  }
}

extension StringDefinition: DefinitionPayload {
  static let type = BlockType.strings
  static let limit = TraceLimits.strings
  var excess: String? {
    id > TraceLimits.strings ? "string id \(id), the limit is \(TraceLimits.strings)" : nil
  }

  func encode(into out: inout ByteWriter) {
    out.appendVarint(UInt64(id))
    out.appendString(text)
  }

  init(_ reader: inout ByteReader) throws(PayloadError) {
    let id = UInt32(try reader.count(limit: TraceLimits.strings, "string id"))
    self.init(id: id, text: try reader.string())
  }
}

extension ThreadDefinition: DefinitionPayload {
  static let type = BlockType.threads
  static let limit = TraceLimits.threads
  var excess: String? {
    index >= TraceLimits.threads ? "thread index \(index), the limit is \(TraceLimits.threads - 1)" : nil
  }

  func encode(into out: inout ByteWriter) {
    out.appendVarint(UInt64(index))
    out.appendVarint(osThread)
    out.append(isMain ? 1 : 0)
    out.appendString(name)
  }

  init(_ reader: inout ByteReader) throws(PayloadError) {
    let index = UInt32(try reader.count(limit: TraceLimits.threads - 1, "thread index"))
    let osThread = try reader.varint()
    let isMain = try reader.integer(UInt8.self) != 0
    self.init(index: index, osThread: osThread, isMain: isMain, name: try reader.string())
  }
}

extension ModeDefinition: DefinitionPayload {
  static let type = BlockType.modes
  static let limit = TraceLimits.modes

  func encode(into out: inout ByteWriter) {
    out.append(id)
    out.appendString(name)
  }

  init(_ reader: inout ByteReader) throws(PayloadError) {
    let id = try reader.integer(UInt8.self)
    self.init(id: id, name: try reader.string())
  }
}

extension SyncPoint: DefinitionPayload {
  static let type = BlockType.sync
  static let limit = TraceLimits.eventsPerBlock

  func encode(into out: inout ByteWriter) {
    out.appendInteger(time)
    out.appendInteger(monotonicNs)
    out.appendInteger(boottimeNs)
    out.appendInteger(realtimeNs)
  }

  init(_ reader: inout ByteReader) throws(PayloadError) {
    self.init(
      time: try reader.integer(UInt64.self), monotonicNs: try reader.integer(UInt64.self),
      boottimeNs: try reader.integer(UInt64.self), realtimeNs: try reader.integer(UInt64.self))
  }
}

extension InfoEntry: DefinitionPayload {
  static let type = BlockType.info
  static let limit = TraceLimits.infoEntries

  func encode(into out: inout ByteWriter) {
    out.appendString(key)
    out.appendString(value)
  }

  init(_ reader: inout ByteReader) throws(PayloadError) {
    let key = try reader.string()
    self.init(key: key, value: try reader.string())
  }
}
