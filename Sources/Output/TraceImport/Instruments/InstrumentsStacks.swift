/// The sampled stacks in all files of an import. Stacks share their outer frames, so they are kept as a tree.
final class InstrumentsStacks {
  /// An executable image.
  struct Binary: Hashable {
    var path: String
    /// Hexadecimal, without dashes; empty = not in the export.
    var uuid: String
    var base: UInt64
  }

  struct Frame: Hashable {
    var address: UInt64
    /// An index into `InstrumentsNames.texts`; -1 = the export does not name the function.
    var name: Int32
    /// An index into `binaries`; -1 = not known.
    var binary: Int32
  }

  /// The innermost frame of a stack, with the stack of its caller.
  private struct Node: Hashable {
    /// An index into `nodes`; -1 = the outermost frame.
    var caller: Int32
    /// An index into `frames`.
    var frame: Int32
  }

  /// Replaces a frame or stack that has no address, or has a frame without one.
  static let unusable: Int32 = -1
  /// Replaces a frame or stack for which there is no room.
  static let beyond: Int32 = -2

  private var distinctBinaries = Distinct<Binary>(limit: ImportLimits.binaries)
  private var distinctFrames = Distinct<Frame>(limit: ImportLimits.frames)
  private var nodes = Distinct<Node>(limit: ImportLimits.stackFrames)

  var binaries: [Binary] { distinctBinaries.values }
  var frames: [Frame] { distinctFrames.values }

  /// Returns the index of a binary; nil if there are too many.
  func add(_ binary: Binary) -> Int32? { distinctBinaries.index(of: binary) }

  func add(_ frame: Frame) -> Int32 { distinctFrames.index(of: frame) ?? Self.beyond }

  /// Returns the number of a stack of frames, innermost first. Keeps the innermost frames of a longer stack than a trace
  /// holds.
  func add(stack: [Int32]) -> Int32 {
    var node: Int32 = -1
    for frame in stack.prefix(ImportLimits.framesPerStack).reversed() {
      guard let next = nodes.index(of: Node(caller: node, frame: frame)) else { return Self.beyond }
      node = next
    }
    return node
  }

  /// Returns the frames of a stack, innermost first.
  func frames(of stack: Int32) -> [Int32] {
    var frames: [Int32] = []
    var node = stack
    while node >= 0 {
      frames.append(nodes.values[Int(node)].frame)
      node = nodes.values[Int(node)].caller
    }
    return frames
  }
}

/// A sample of a thread.
struct StackSample {
  /// The state of the thread, as the letter of a `thread.state` event; 0 = the table does not say.
  enum State: UInt8 {
    case unknown = 0
    case running = 0x52  // R
    case blocked = 0x53  // S

    init(_ word: String?) {
      switch word {
      case "Running": self = .running
      case "Blocked": self = .blocked
      default: self = .unknown
      }
    }
  }

  var time: UInt64
  /// The time that the sample represents; 0 = the table does not state it.
  var weightNs: UInt32
  /// An index into `InstrumentsNames.threads`.
  var thread: Int32
  /// The number of a stack in `InstrumentsStacks`.
  var stack: Int32
  var state: State
}

/// The samples of one table. `time-profile` and `time-sample` hold the same samples, the latter without names.
struct StackSamples {
  private(set) var samples: [StackSample] = []
  private(set) var table: InstrumentsTable?
  /// Rows without a stack.
  private(set) var withoutStack = 0
  /// Rows with a frame that has no address.
  private(set) var withoutAddress = 0
  /// Rows whose stacks are beyond the limits.
  private(set) var beyondLimits = 0

  /// Returns whether the rows of a table are to be added. The table with names replaces the other one.
  mutating func begins(_ new: InstrumentsTable) -> Bool {
    if table == .timeProfile, new == .timeSample { return false }
    if table != new { self = StackSamples() }
    table = new
    return true
  }

  /// Nil = the row has no stack.
  mutating func add(_ sample: StackSample?) {
    guard let sample else {
      withoutStack += 1
      return
    }
    if sample.stack == InstrumentsStacks.unusable {
      withoutAddress += 1
    } else if sample.stack < 0 || samples.count == ImportLimits.samples {
      beyondLimits += 1
    } else {
      samples.append(sample)
    }
  }
}
