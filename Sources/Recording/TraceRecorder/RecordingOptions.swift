import SystemSupport
import TraceFormat

/// The settings of a recording.
public struct RecordingOptions: Sendable {
  /// The unit of the times in the trace.
  public var timeUnit: TimeUnit
  /// The events to record.
  public var captureLevel: CaptureLevel
  /// Whether activities will have both stamps.
  public var hasHighStamps: Bool
  /// Makes the codec, on the drain thread. The default stores blocks as they are, which links no compressor.
  public var makeCodec: @Sendable () -> any BlockCodec
  /// Facts about the recording that are written into the trace.
  public var info: [InfoEntry]
  /// The number of slots of 16 bytes in each of the four large rings, a power of two. Two of them are kept for threads
  /// that run loops. The rings of further threads have a quarter of that; beyond 128 threads, less.
  public var slotsPerRing: Int
  /// Nil = the cycle counter if it is invariant, otherwise CLOCK_MONOTONIC.
  public var clock: ClockSource?
  /// Whether a thread wakes regularly and notes when it woke late, as evidence that the process was suspended. Applies
  /// to recordings of this process; another process is always watched.
  public var hasHeartbeat: Bool
  /// Nil = no stacks are sampled. On Apple's systems this is the default of release builds: sampling stops the main
  /// thread for a moment, and this has not been tested there yet.
  public var stalls: StallWatch?
  /// Whether unwritten events are kept in a file beside the trace, NAME.rltrace.spool, so that a crash loses no
  /// stored event. Otherwise they are in memory, and a crash loses up to two seconds. Applies to recordings of this
  /// process into a file.
  public var survivesCrashes: Bool
  /// Whether a handler of SIGBUS lets an app survive if another process truncates its spool. Without it, the app's own
  /// handlers, such as a crash reporter's, stay in place. Applies to `RunLoopTracer`.
  public var handlesBusErrors = false
  /// The subsystem under which marks and intervals are repeated as signposts, for Instruments; nil = they are not.
  /// Applies to `RunLoopTracer` on Apple's systems.
  public var signpostSubsystem: String?
  /// Whether `signpostSubsystem` also repeats the callouts of timers, sources, blocks and main-queue work that are made
  /// through the tracer, as intervals. The time of a signpost then counts as time of the callout.
  public var signpostsCallouts = false
  /// Whether all blocks are compressed, even if a fast thread loses events because of that. For measurements.
  package var compressesAlways = false
  /// The limit of the trace: only its newest part is kept. Nil = everything is kept. Applies to recordings of this
  /// process into a file.
  public var kept: KeptPart?

  #if canImport(Darwin)
  @usableFromInline package static let standardKept: KeptPart? = KeptPart(bytes: 64 << 20)
  #else
  @usableFromInline package static let standardKept: KeptPart? = nil
  #endif

  #if canImport(Darwin) && !DEBUG
  @usableFromInline package static let standardStalls: StallWatch? = nil
  #else
  @usableFromInline package static let standardStalls: StallWatch? = StallWatch()
  #endif

  /// Creates options. The defaults are those of a recording by `RunLoopTracer.start`.
  public init(
    timeUnit: TimeUnit = .ns10, captureLevel: CaptureLevel = .callouts, hasHighStamps: Bool = true,
    makeCodec: @escaping @Sendable () -> any BlockCodec = { NoCodec() }, info: [InfoEntry] = [],
    slotsPerRing: Int = 1 << 19, clock: ClockSource? = nil, hasHeartbeat: Bool = true,
    stalls: StallWatch? = standardStalls, survivesCrashes: Bool = true, kept: KeptPart? = standardKept
  ) {
    self.timeUnit = timeUnit
    self.captureLevel = captureLevel
    self.hasHighStamps = hasHighStamps
    self.makeCodec = makeCodec
    self.info = info
    self.slotsPerRing = slotsPerRing
    self.clock = clock
    self.hasHeartbeat = hasHeartbeat
    self.stalls = stalls
    self.survivesCrashes = survivesCrashes
    self.kept = kept
  }
}

/// An error of starting or ending a recording.
public enum RecordingError: Error, Sendable, CustomStringConvertible {
  /// Only one recording per process is possible: the hot path finds it in one global.
  case alreadyRecording
  case trace(TraceFormatError)
  case noThread(code: Int32)

  /// A sentence that says what happened and what to do.
  public var description: String {
    switch self {
    case .alreadyRecording: "this process is already being recorded; stop that recording first"
    case .trace(let error): "\(error)"
    case .noThread(let code):
      unsafe "cannot start a thread of the recorder: \(String(cString: strerror(code)))"
    }
  }
}

/// The contents of a finished recording.
public struct RecordingSummary: Sendable {
  /// The number of events in the trace.
  public var events: UInt64 = 0
  /// The size of the trace.
  public var bytes: UInt64 = 0
  /// The number of events that found no room.
  public var lostEvents: UInt64 = 0
  /// The number of events and names that were lost because a disk had no room. The events are counted in
  /// `lostEvents`.
  package var lostForRoom: UInt64 = 0
  /// Not nil: everything that was stored from then on is lost and not counted.
  package var cut: SpoolCut?
  /// The number of older events that were dropped because only the newest part was to be kept.
  public var droppedEvents: UInt64 = 0
  /// The CPU time of the drain thread.
  package var drainCPUNs: UInt64 = 0
}
