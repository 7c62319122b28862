/// A file format for timelines: tracks with slices, instants and counters.
///
/// `SliceWalk` adds each track before its contents. On each thread's track, slices begin in time order, the outer ones
/// first. Whole slices on one track are either nested or disjoint. Every slice is ended: one that had not ended at the end
/// of the recording ends there, with the argument `unfinished`. Times are nanoseconds since the recording's origin. The
/// format appends to `bytes`, which the walk writes out and empties.
protocol SliceFormat: AnyObject, SendableMetatype {
  init(_ program: ExportedProgram)
  /// The output that has not been written yet.
  var bytes: [UInt8] { get set }
  /// Whether the format shows tracks, slices and instants outside threads, and counters.
  static var hasOtherTracks: Bool { get }

  func add(_ track: Track)
  /// Begins a slice on a thread's track.
  func begin(_ slice: Slice, on track: Track)
  /// Ends `slice`, the innermost one of a thread's track.
  func end(_ slice: Slice, on track: Track, at ns: UInt64, _ arguments: [Argument])
  /// Adds a whole slice to a track that is not a thread's.
  func add(_ slice: Slice, to ns: UInt64, on track: Track)
  func addInstant(_ slice: Slice, on track: Track)
  func addCounter(_ value: Int, at ns: UInt64, on track: Track)
  /// Adds the samples of stacks, after everything else. Not called without samples.
  func add(_ stacks: StackSamples)
  /// Appends the rest of the file.
  func finish()
}

/// The program that a recording is about.
struct ExportedProgram {
  var name: String
  var processID: UInt64
  /// The clocks at the recording's origin; nil for virtual time.
  var origin: Clocks?
  /// Facts of the recording.
  var facts: [Argument]

  struct Clocks {
    var monotonicNs: UInt64
    var boottimeNs: UInt64
    var realtimeNs: UInt64
  }
}

/// One row of a timeline.
struct Track {
  enum Kind: Equatable {
    case thread(id: UInt64, isMain: Bool)
    /// Slices and instants that belong to no thread, or that partly overlap the slices of their thread.
    case other
    case counter(unit: String)
  }

  /// 1, 2, …
  var number: Int
  var name: String
  var kind: Kind
}

struct Slice {
  var name: Name
  var category: Name
  var start: UInt64
  var arguments: [Argument] = []
}

/// A string with a number from 1. Equal strings have equal numbers.
struct Name: Hashable {
  var number: Int
  var text: String

  static func == (a: Name, b: Name) -> Bool { a.number == b.number }
  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

struct Argument {
  enum Value {
    case integer(UInt64)
    case text(String)
  }

  /// A key of `rltrace analyze --format json`, such as `lateness_ns`.
  var key: String
  var value: Value

  /// Marks a slice that had not ended at the end of the recording.
  static let unfinished = Argument("unfinished", 1)

  init(_ key: String, _ value: UInt64) { (self.key, self.value) = (key, .integer(value)) }
  init(_ key: String, _ value: String) { (self.key, self.value) = (key, .text(value)) }
}
