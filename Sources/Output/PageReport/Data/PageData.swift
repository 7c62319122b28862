/// The data for the report's script besides the tables. The script reads it by these names: `tools/generate` writes
/// them to page-data.d.ts, which `tools/lint` compares with the script.
///
/// Lengths and moments are nanoseconds since the beginning of the span unless stated otherwise. Names and
/// callouts are indices into the timeline's names. Keys without a value are left out.
struct PageData: Codable {
  var unitNs: UInt64
  /// As text, because the number may exceed the exact range of a script's numbers.
  var fromNs: String
  var spanNs: String
  var threads: [PageThread]
  var timers: [PageTimer]
  var life: [PageLife]
  var marks: [PageMark]
  var intervals: [PageInterval]
  var gaps: [PageGap]
  var hangs: [PageHang]
  /// Nil = none.
  var hitches: [PageHitch]?
  /// The start and length of each.
  var suspensions: [PagePair]
  var findings: [PageFinding]
  var histograms: [PageHistogram]
  var utilisation: [PageUtilisation]
  var starvation: [PageStarvation]
  var stalls: PageStalls?
  var timeline: PageTimeline
}

/// A start and a length, or a start and an end: in the data, a list of two.
struct PagePair: Codable {
  var first: UInt64
  var second: UInt64

  init(_ first: UInt64, _ second: UInt64) { (self.first, self.second) = (first, second) }

  init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    self.init(try list.decode(UInt64.self), try list.decode(UInt64.self))
  }

  func encode(to encoder: any Encoder) throws { try [first, second].encode(to: encoder) }
}

struct PageThread: Codable {
  var index: UInt32
  var name: String
  var main: Bool
}

struct PageTimer: Codable {
  var id: Int
  var name: Int
  /// The modes, in words.
  var kind: String
  /// 0 = the timer fires once; nil = not known.
  var interval: UInt64?
  var common: Bool
  var modes: [Int]
  var thread: UInt32?
}

struct PageLife: Codable {
  enum What: String, Codable, CaseIterable { case phase, task }

  var what: What
  var name: Int
  var start: UInt64
  var length: UInt64
  var budget: UInt64?
}

struct PageMark: Codable {
  var name: Int
  var time: UInt64
  var thread: UInt32
}

struct PageInterval: Codable {
  var name: Int
  var start: UInt64
  var length: UInt64
  var thread: UInt32
  var open: Bool
}

struct PageGap: Codable {
  var start: UInt64
  var length: UInt64
  var thread: UInt32
  /// The activity that the gap follows.
  var after: String
  var callout: Int?
}

struct PageHang: Codable {
  var start: UInt64
  var length: UInt64
  var thread: UInt32
  /// The function or callout that held the loop.
  var by: Int?
  var callout: Int?
}

struct PageHitch: Codable {
  /// The id of the source's timer class.
  var timer: Int
  /// When the frame should have been presented, and how much later it was.
  var start: UInt64
  var length: UInt64
  /// When the frame was due, and when it was ready.
  var due: UInt64?
  var ready: UInt64?
  /// The number of a cause, and its time.
  var cause: Int
  var causeLength: UInt64?
  /// The callout or mode to blame.
  var blamed: Int?
  /// The program's function in the callout, with its file and line.
  var function: Int?
}

struct PageFinding: Codable {
  var title: String
  var severity: String
  var isHang: Bool
  var timers: [Int]
  var threads: [UInt32]
  /// The start and length of each place of evidence.
  var spans: [PagePair]
}

struct PageHistogram: Codable {
  var thread: String
  var mode: Int
  var what: String
  /// Ascending.
  var low: PackedColumn
  var width: PackedColumn
  var count: PackedColumn
  var p50: UInt64
  var p99: UInt64
  var max: UInt64
  var total: UInt64
}

struct PageUtilisation: Codable {
  var thread: UInt32
  /// Ascending.
  var start: PackedColumn
  var busy: PackedColumn
  var waiting: PackedColumn
}

struct PageStarvation: Codable {
  var timers: [Int]
}

// MARK: Stalls

struct PageStalls: Codable {
  /// The number of stalls beyond the limits.
  var omitted: Int
  var tree: PageStackTree
  var rows: [PageStall]
}

/// The stacks as paths in a tree, from the outermost frame inwards. Numbers of names and of parents are their indices
/// + 1; 0 = not known, or none.
struct PageStackTree: Codable {
  // One row for each function.
  var name: PackedColumn
  var image: PackedColumn
  var own: PackedColumn
  // One row for each frame.
  var function: PackedColumn
  var file: PackedColumn
  var line: PackedColumn
  var inlined: PackedColumn
  // One row for each node.
  var parent: PackedColumn
  var frame: PackedColumn
}

struct PageStall: Codable {
  /// The place in the list of all stalls.
  var place: Int
  var start: UInt64
  var length: UInt64
  var thread: UInt32
  var after: String
  var samples: UInt64
  var callout: Int?
  /// The index of a frame.
  var blamed: Int?
  var blamedNs: UInt64
  var cause: String?
  var rule: String?
  var remedy: String?
  var confidence: String
  var why: [String]
  var facts: [String]
  /// The innermost node of the representative stack.
  var point: Int?
  var owner: PageLockOwner?
  var sampled: PageStackSamples
}

struct PageStackSamples: Codable {
  /// Ascending.
  var start: PackedColumn
  var length: PackedColumn
  var node: PackedColumn
}

struct PageLockOwner: Codable {
  var name: Int
  var deadlock: Bool
  var point: Int?
}
