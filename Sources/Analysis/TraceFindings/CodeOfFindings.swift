import CallStacks
import TraceResults

/// Finds the code that findings name: their timer, their subject, the blocker, and the names in their sentences.
struct CodeOfFindings {
  private let byName: [String: CodeResult]
  private let timers: [Int: TimerResult]
  private let modes: Set<String>

  init(_ analysis: Analysis) {
    byName = Dictionary(analysis.code.map { ($0.name, $0) }) { first, _ in first }
    modes = Set(analysis.modes.map(\.mode))
    timers = Dictionary(
      analysis.timers.lazy.filter { $0.function != nil || $0.maker != nil }.map { ($0.id, $0) }
    ) {
      first, _ in first
    }
  }

  func placed(_ findings: [Finding]) -> [Finding] {
    return findings.map { finding in
      var finding = finding
      finding.places = places(finding)
      return finding
    }
  }

  private func places(_ finding: Finding) -> [Finding.Place] {
    var found: [Finding.Place] = []
    func add(_ role: Finding.Place.Role, _ frame: StackFrame?) {
      // Each line is listed once: a closure is often created and passed on the same line.
      guard let frame, frame.file != nil, !found.contains(where: { $0.frame.place == frame.place }) else {
        return
      }
      found.append(Finding.Place(role, frame))
    }
    for place in finding.sampled { add(place.role, place.frame) }
    if let timer = finding.timer.flatMap({ timers[$0] }) {
      add(finding.heldUpBy == nil || finding.heldUpBy == .ownCallout ? .function : .late, timer.function)
      add(.maker, timer.maker)
    }
    for name in [finding.subject, finding.blocker] + finding.evidence.flatMap(\.names) {
      guard let code = byName[name] else { continue }
      add(.function, code.function)
      // If the function's file is unknown, also name the code that created the object.
      if code.function?.file == nil { add(modes.contains(name) ? .runner : .maker, code.maker) }
    }
    return Self.distinct(found)
  }

  /// Removes duplicates and keeps at most `FindingLimits.places`.
  static func distinct(_ places: [Finding.Place]) -> [Finding.Place] {
    var seen: Set<String> = []
    return Array(places.filter { seen.insert($0.text).inserted }.prefix(FindingLimits.places))
  }
}
