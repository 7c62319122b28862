import CallStacks
import ReportWriting
import TraceAnalysis
import TraceTables

/// The stalls with their stacks, for the page's flame graph. Functions and frames occur once each, and a stack is a
/// path in a tree, from the outermost frame inwards.
///
/// The longest stalls come first; those beyond the limits are counted.
struct StallStacks {
  /// The maximum number of samples, and of frames in the tree, of a page.
  private static let sampleLimit = 20_000
  private static let nodeLimit = 8_000

  private struct Node: Hashable {
    /// The parent's index + 1; 0 = outermost.
    let parent: Int
    let frame: Int
  }

  private struct Frame: Hashable {
    let function: Int
    let file: String?
    let line: Int?
    let isInlined: Bool
  }

  private var functions = Numbered<StackFrame.Identity>()
  private var ownFunctions: Set<Int> = []
  private var frames = Numbered<Frame>()
  private var nodes = Numbered<Node>()
  private let stacks: [Int: [StackFrame]]
  private let analysis: Analysis

  private init(_ analysis: Analysis) {
    self.analysis = analysis
    stacks = Dictionary(analysis.sampledStacks.map { ($0.number, $0.frames) }) { first, _ in first }
  }

  /// Returns the stalls for the page, nil when there are none. `names` holds the names of the page.
  static func stalls(_ analysis: Analysis, _ names: inout NameList) -> PageStalls? {
    guard !analysis.stalls.isEmpty else { return nil }
    var all = StallStacks(analysis)
    var room = sampleLimit
    var rows: [PageStall] = []
    let longestFirst = analysis.stalls.enumerated().ordered {
      ($1.element.durationNs, $0.offset) < ($0.element.durationNs, $1.offset)
    }
    for (place, stall) in longestFirst {
      room -= stall.stacks.count
      guard room >= 0, all.nodes.elements.count < nodeLimit else { break }
      rows.append(all.row(stall, place, &names))
    }
    return PageStalls(
      omitted: analysis.stalls.count - rows.count, tree: all.tree(&names),
      rows: rows.ordered { $0.place < $1.place })
  }

  // MARK: Stalls

  private mutating func row(_ stall: StallResult, _ place: Int, _ names: inout NameList) -> PageStall {
    var samples: [(start: UInt64, length: UInt64, node: Int)] = []
    for sample in stall.stacks {
      guard let node = node(of: stacks[sample.number] ?? []) else { continue }
      samples.append((analysis.sinceBeginning(sample.startNs), sample.durationNs, node))
    }
    return PageStall(
      place: place, start: analysis.sinceBeginning(stall.startNs), length: stall.durationNs,
      thread: stall.thread, after: stall.after.name, samples: stall.samples,
      callout: stall.callout.isEmpty ? nil : names.number(of: stall.callout),
      blamed: stall.blamed.map { frame(of: $0) }, blamedNs: stall.blamedNs,
      cause: stall.cause == .unknown ? nil : stall.cause.words, rule: stall.rule,
      remedy: stall.remedy.map { NameList.clean($0) }, confidence: stall.confidence.name,
      why: stall.reasons.map(\.words), facts: facts(stall.evidence), point: node(of: stall.stack),
      owner: stall.owner.map { owner($0, &names) },
      sampled: PageStackSamples(
        start: PackedColumn(growing: samples.map(\.start)), length: PackedColumn(samples.map(\.length)),
        node: PackedColumn(samples.map { UInt64($0.node) })))
  }

  private mutating func owner(_ owner: LockOwner, _ names: inout NameList) -> PageLockOwner {
    PageLockOwner(
      name: names.number(of: owner.name.isEmpty ? "system thread \(owner.osThread)" : owner.name),
      deadlock: owner.isDeadlock, point: node(of: owner.stack))
  }

  /// Returns the system's facts about the thread, in words.
  private func facts(_ evidence: ThreadEvidence) -> [String] {
    var facts: [String] = []
    if let cpu = evidence.cpuNs, evidence.spanNs > 0 {
      let waited =
        evidence.waitedNs.map { $0 > 0 ? ", ready to run without a processor for \(Units.duration($0))" : "" }
        ?? ""
      facts.append(
        "ran on a processor for \(Units.duration(cpu)) of \(Units.duration(evidence.spanNs))\(waited)")
    }
    if let call = evidence.systemCall {
      let what = evidence.descriptor == .unknown ? "" : ", on a \(evidence.descriptor.name)"
      facts.append("seen most often in the system call \(harmless(call, limit: 40))\(what)")
    }
    if let read = evidence.readBytes, let written = evidence.writtenBytes, read > 0 || written > 0 {
      facts.append("read \(Units.bytes(read)), wrote \(Units.bytes(written))")
    }
    if let faults = evidence.majorFaults, faults > 0 {
      facts.append("loaded \(Phrase.count(faults, "page", "pages")) from a disk")
    }
    return facts
  }

  // MARK: Stacks

  private mutating func frame(of frame: StackFrame) -> Int {
    let function = functions.place(of: frame.identity)
    if frame.isOwn { ownFunctions.insert(function) }
    return frames.place(
      of: Frame(function: function, file: frame.file, line: frame.line, isInlined: frame.isInlined))
  }

  /// Returns the node of the innermost frame; nil if there are no frames.
  private mutating func node(of stack: [StackFrame]) -> Int? {
    var above = 0
    for frame in stack.reversed() {
      above = nodes.place(of: Node(parent: above, frame: self.frame(of: frame))) + 1
    }
    return above > 0 ? above - 1 : nil
  }

  /// Returns the tree. Numbers of names are their indices + 1; 0 = not known.
  private func tree(_ names: inout NameList) -> PageStackTree {
    func named(_ name: String?) -> UInt64 { name.map { UInt64(names.number(of: $0)) + 1 } ?? 0 }
    return PageStackTree(
      name: PackedColumn(functions.elements.map { named($0.name) }),
      image: PackedColumn(functions.elements.map { named($0.image) }),
      own: PackedColumn(functions.elements.indices.map { ownFunctions.contains($0) ? 1 : 0 }),
      function: PackedColumn(frames.elements.map { UInt64($0.function) }),
      file: PackedColumn(frames.elements.map { named($0.file) }),
      line: PackedColumn(frames.elements.map { UInt64(clamping: $0.line ?? 0) }),
      inlined: PackedColumn(frames.elements.map { $0.isInlined ? 1 : 0 }),
      parent: PackedColumn(nodes.elements.map { UInt64($0.parent) }),
      frame: PackedColumn(nodes.elements.map { UInt64($0.frame) }))
  }
}
