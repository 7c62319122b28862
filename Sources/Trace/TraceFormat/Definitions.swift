import CRLTraceShims

/// A thread of the recorded process.
public struct ThreadDefinition: Equatable, Sendable {
  /// The name of the recorder's own thread.
  package static let recorderName = "(recorder)"
  /// The name of the thread that samples stacks.
  package static let samplerName = "rltrace-stalls"
  /// The name of the entry that represents the main queue if no run loop serves it. In that case, different threads of
  /// the system run its work in turn.
  package static let mainQueueName = RLT_MAIN_QUEUE_NAME

  /// The index in the trace, from 0, by which events refer to the thread.
  public var index: UInt32
  /// The operating system's thread id; 0 = unknown.
  public var osThread: UInt64
  /// Whether it is the main thread, or the main queue without a thread.
  public var isMain: Bool
  /// The name that the program gave it; empty = none.
  public var name: String

  /// The main queue, served without a run loop: no thread of the system.
  package var isMainQueue: Bool { isMain && osThread == 0 && name == ThreadDefinition.mainQueueName }
  /// The displayed name of the main thread or the main queue; nil = another thread.
  package var mainName: String? { isMainQueue ? name : isMain ? "main" : nil }

  package init(index: UInt32, osThread: UInt64, isMain: Bool, name: String) {
    self.index = index
    self.osThread = osThread
    self.isMain = isMain
    self.name = name
  }
}

/// The name of a run-loop mode. Id 0 means "no mode"; id 255 is shared by all modes beyond the table.
package struct ModeDefinition: Equatable, Sendable {
  package static let overflowID: UInt8 = 255
  package var id: UInt8
  package var name: String

  package init(id: UInt8, name: String) {
    self.id = id
    self.name = name
  }
}

/// A moment read on all clocks.
package struct SyncPoint: Equatable, Sendable {
  /// Trace time units since the origin.
  package var time: UInt64
  package var monotonicNs: UInt64
  /// Includes the time in which the system was asleep.
  package var boottimeNs: UInt64
  /// Since 1970-01-01 UTC.
  package var realtimeNs: UInt64

  package init(time: UInt64, monotonicNs: UInt64, boottimeNs: UInt64, realtimeNs: UInt64) {
    self.time = time
    self.monotonicNs = monotonicNs
    self.boottimeNs = boottimeNs
    self.realtimeNs = realtimeNs
  }
}

extension SyncPoint {
  /// Returns the point at another time on the same clocks.
  package func moved(to time: UInt64, unit: TimeUnit) -> SyncPoint {
    let ns = (time &- self.time) &* unit.nanoseconds
    return SyncPoint(
      time: time, monotonicNs: monotonicNs &+ ns, boottimeNs: boottimeNs &+ ns, realtimeNs: realtimeNs &+ ns)
  }
}

/// A string of the string table.
package struct StringDefinition: Equatable, Sendable {
  /// The id, from 1; 0 means "none".
  package var id: UInt32
  package var text: String

  package init(id: UInt32, text: String) {
    self.id = id
    self.text = text
  }
}

/// A fact about the recording, such as the program, the machine or the command line.
public struct InfoEntry: Equatable, Sendable {
  /// The start time of a trace whose older part was dropped, in the trace's time units. Earlier events restate the
  /// objects, open runs and open callouts of that moment.
  package static let beginsAt = "begins_at"
  /// The program that recorded another process or simulated one in virtual time. Absent when a program records itself.
  package static let recorder = "recorder"
  /// The library with which a program recorded itself, with its version.
  package static let library = "library"
  /// The number of events in the dropped part.
  package static let droppedEvents = "dropped_events"
  /// The number of event blocks that the recorder stored flat, because threads stored events faster
  /// than it compressed them. Absent when there were none, and when the recorder was killed.
  package static let flatBlocks = "flat_blocks"
  /// The name of a timer that is declared deferrable.
  package static let deferrable = "deferrable"
  /// The reason why a snapshot was written.
  package static let snapshot = "snapshot"
  /// The id of the recorded process.
  package static let process = "process"
  /// The command line of the recorded process when it first used a run loop.
  package static let program = "program"
  /// The command line that was recorded.
  package static let command = "command"
  /// The name of the scenario that was recorded or simulated.
  package static let scenario = "scenario"
  /// The folder in which the recording was started.
  package static let folder = "folder"
  /// Present when callouts of some timers or sources, and hence the objects themselves, were not recorded.
  package static let unwrappedCallouts = "unwrapped_callouts"
  /// The origin of an imported trace: one entry for each table, with its number of rows.
  package static let imported = "imported_from"
  /// Present when the source of an imported trace lists hangs and nothing about run loops: all other time is unknown. The
  /// value is a sentence for people.
  package static let hangsOnly = "hangs_only"
  /// The library that implements the run loops, and its build id.
  package static let foundation = "foundation"
  /// Present when the time at which the process ended is unknown. Items that are open at the end of the trace may have
  /// continued. The value is a sentence for people. Recovered traces have it if the process did not record its own end.
  package static let endUnknown = "end_unknown"

  /// The reason why the trace ends before its process does: a `TraceEnd`.
  package static let goesOn = "goes_on"

  /// The index of one of the recorder's own threads; one entry for each.
  package static let recorderThread = "recorder_thread"
  /// The interval between two heartbeats of the recorder, in nanoseconds.
  package static let heartbeat = "heartbeat_ns"
  /// The time in one activity after which stacks of the loop's thread were sampled, in nanoseconds.
  package static let stallThreshold = "stall_threshold_ns"
  /// How an app's recorder sampled stacks: `signals`, `mach`, `none` where the system does not allow it, or `off`.
  package static let stackSampling = "stack_sampling"

  /// Present when all Dispatch queues were recorded.
  package static let queues = "queues"
  /// How Swift tasks were recorded: `recorded`, or as `jobs` of the global executor alone.
  package static let tasks = "tasks"
  package static let jobsOnly = InfoEntry(key: tasks, value: "jobs")

  /// A program change that was assumed when this trace was predicted from another one; one entry for each.
  package static let whatIf = "what_if"
  /// An assumption of that prediction; one entry for each.
  package static let assumes = "assumes"

  /// The name of the fact, such as `program`.
  public var key: String
  /// The fact.
  public var value: String

  /// Creates a fact.
  public init(key: String, value: String) {
    self.key = key
    self.value = value
  }

  package init(recorderThread index: UInt32) { self.init(key: InfoEntry.recorderThread, value: "\(index)") }
}

/// The reason why a trace ends before its process does: a value of the fact `goes_on`.
package enum TraceEnd: String, CaseIterable, Sendable {
  case recordingEnded = "recording ended first"
  case executed = "executed another program"

  package var fact: InfoEntry { InfoEntry(key: InfoEntry.goesOn, value: rawValue) }
}

extension TraceReader {
  /// The names of modes, in order of their ids.
  package var modeDefinitions: [ModeDefinition] {
    modes.map { ModeDefinition(id: $0.key, name: $0.value) }.ordered { $0.id < $1.id }
  }

  /// The strings, in order of their ids.
  package var stringDefinitions: [StringDefinition] {
    strings.map { StringDefinition(id: $0.key, text: $0.value) }.ordered { $0.id < $1.id }
  }
}
