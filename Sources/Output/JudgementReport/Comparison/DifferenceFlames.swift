import CallStacks
import ReportWriting
import TraceAnalysis
import TraceComparison

/// The sampled stacks of both traces as one flame graph, the outermost calls on top.
///
/// The width of a call is the gap time in both traces together, each per second of its recording, so callees fit below
/// their callers. The colour shows which trace has more of it. Functions match by names that a rebuild does not change.
struct DifferenceFlames {
  private static let width = 1000.0
  private static let rowHeight = 16.0
  /// Narrower calls are left out, and so are those inside more calls than these.
  private static let narrowest = 5.0
  private static let deepest = 40
  /// From this width on, a call has its name.
  private static let narrowestName = 45.0
  private static let characterWidth = 6.5
  /// Up to this change, as a share of both, a call has no colour.
  private static let noChange = 0.05

  private struct Node {
    var name: String
    /// The shares of the traces' lengths.
    var base = 0.0
    var new = 0.0
    var calls: [Int] = []

    var both: Double { base + new }
  }

  private struct Call: Hashable {
    var caller: Int
    var function: Int
  }

  private struct Function: Hashable {
    var name: String
    var image: String?
  }

  /// The first one is the caller of all outermost calls.
  private var nodes = [Node(name: "")]
  private var places: [Call: Int] = [:]
  private var functions: [Function: Int] = [:]

  /// Returns nil unless both traces have stacks of gaps. O(frames).
  init?(_ base: Analysis, _ new: Analysis) {
    add(base, to: \.base)
    add(new, to: \.new)
    guard nodes[0].base > 0, nodes[0].new > 0 else { return nil }
  }

  private mutating func add(_ analysis: Analysis, to side: WritableKeyPath<Node, Double>) {
    let length = Double(max(analysis.trace.toNs &- analysis.trace.fromNs, 1))
    var known: [StackFrame.Identity: Int] = [:]
    for stack in analysis.sampledStacks where stack.durationNs > 0 {
      let share = Double(stack.durationNs) / length
      nodes[0][keyPath: side] += share
      var place = 0
      for frame in stack.frames.reversed() {
        let identity = frame.identity
        let function = known[identity] ?? number(of: identity)
        known[identity] = function
        place = self.place(of: Call(caller: place, function: function), identity.name)
        nodes[place][keyPath: side] += share
      }
    }
  }

  private mutating func number(of identity: StackFrame.Identity) -> Int {
    let function = Function(name: BuildFreeName(identity.name).text, image: identity.image)
    let number = functions[function] ?? functions.count
    functions[function] = number
    return number
  }

  private mutating func place(of call: Call, _ name: String) -> Int {
    if let known = places[call] { return known }
    let place = nodes.count
    places[call] = place
    nodes.append(Node(name: name))
    nodes[call.caller].calls.append(place)
    return place
  }

  /// The innermost call that contains all others. Its callers would only repeat its width.
  private var top: Int {
    var top = 0
    while nodes[top].calls.count == 1, let only = nodes[top].calls.first,
      nodes[only].both > nodes[top].both * 0.999
    {
      top = only
    }
    return top
  }

  /// The values for the template.
  var context: [String: Any] {
    let top = self.top
    let scale = Self.width / nodes[top].both
    var waiting: [(node: Int, x: Double, depth: Int)] = []
    func wait(_ calls: [Int], _ x: Double, _ depth: Int) {
      guard depth < Self.deepest else { return }
      var x = x
      for call in calls.ordered(by: { nodes[$1].both < nodes[$0].both }) {
        let width = nodes[call].both * scale
        if width >= Self.narrowest { waiting.append((call, x, depth)) }
        x += width
      }
    }
    wait(top == 0 ? nodes[0].calls : [top], 0, 0)
    var boxes: [[String: Any]] = []
    var rows = 0
    while let next = waiting.popLast() {
      boxes.append(box(nodes[next.node], next.x, next.depth, scale))
      rows = max(rows, next.depth + 1)
      wait(nodes[next.node].calls, next.x, next.depth + 1)
    }
    return ["height": SVG.number(Double(rows) * Self.rowHeight), "boxes": boxes]
  }

  private func box(_ node: Node, _ x: Double, _ depth: Int, _ scale: Double) -> [String: Any] {
    let width = node.both * scale
    let y = Double(depth) * Self.rowHeight
    let change = (node.new - node.base) / node.both
    let tone = abs(change) <= Self.noChange ? "same" : change > 0 ? "more" : "less"
    func perSecond(_ share: Double) -> String { Units.duration(UInt64(clamping: share * 1e9)) }
    let label = [
      "x": SVG.number(x + 3), "y": SVG.number(y + 12),
      "text": harmless(node.name, limit: Int(clamping: width / Self.characterWidth)),
    ]
    return [
      "x": SVG.number(x), "y": SVG.number(y), "width": SVG.number(width),
      "height": SVG.number(Self.rowHeight - 1), "tone": tone,
      "opacity": tone == "same" ? "0.15" : "0.\(15 + Int(clamping: abs(change) * 45))",
      "words":
        "\(harmless(node.name, limit: 200)): \(perSecond(node.new)) per second, was \(perSecond(node.base))",
      "labels": width >= Self.narrowestName ? [label] : [],
    ]
  }
}
