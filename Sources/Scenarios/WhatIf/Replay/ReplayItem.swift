import RunLoopModel

/// A timer, source or block of a replay.
final class ReplayItem {
  /// The recorded life that it repeats.
  let life: Int32
  let object: UInt32
  var model: ModelItem?
  /// For a source0: whether it is signalled, and the recorded callout that answers the signal.
  var isSignalled = false
  var answer: Int32?
  /// The arrival that signalled it, or queued it; nil = the loop's own thread did.
  var stimulus: Int?
  /// For a source whose signals are merged: when it was last signalled, and whether a signal is delayed.
  var signalledNs: UInt64?
  var isPutOff = false
  /// Whether the delayed signal comes with a wake-up.
  var wakesLater = false
  /// For a timer: its recorded callouts, and whether each was repeated.
  var fires: [(due: UInt64?, begin: Int32)] = []
  var used: [Bool] = []
  /// Recorded callouts for further repetitions; nil until they are looked up.
  var pool: [Int32]?
  var nextRepeat = 0
  /// The shortest or the longest recorded callout; nil until it is looked up.
  var extreme: Int32?
  /// When it was invalidated, in time units.
  var end: UInt64 = 0
  /// For a block: whether it was discarded, so that it never runs.
  var isDiscarded = false

  init(life: Int32, object: UInt32) {
    self.life = life
    self.object = object
  }
}

/// One run of recorded code: the code itself, or a repetition beyond what was recorded, which makes objects of its own.
final class Instance {
  let isOwn: Bool
  /// The objects that a repetition made, by recorded life.
  var made: [Int32: ReplayItem] = [:]

  init(isOwn: Bool) { self.isOwn = isOwn }
}

/// How a callout's own time passes if the callout does not take as long as recorded.
struct Pace {
  /// The recorded own time, and the new one, in nanoseconds.
  let recordedNs: UInt64
  let newNs: UInt64
  private var passedNs: UInt64 = 0
  private var givenNs: UInt64 = 0

  init(recordedNs: UInt64, newNs: UInt64) {
    self.recordedNs = recordedNs
    self.newNs = newNs
  }

  /// Returns the new length of the next part of the recorded time.
  mutating func next(_ ns: UInt64) -> UInt64 {
    passedNs += ns
    guard recordedNs > 0 else { return 0 }
    let product = min(passedNs, recordedNs).multipliedFullWidth(by: newNs)
    let given = recordedNs.dividingFullWidth(product).quotient
    defer { givenNs = given }
    return given - givenNs
  }

  /// Returns what is left of the new time when the callout ends.
  var restNs: UInt64 { newNs - givenNs }
}
