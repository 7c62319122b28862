import TestSupport
import Testing
@testable import TraceFormat

/// The event table is the only definition of the events. Everything that repeats it must agree.
@Suite struct EventTableTests {
  @Test func codesAndNamesAreUnique() {
    let rows = EventTable.definitions
    #expect(Set(rows.map(\.kind)).count == rows.count)
    #expect(Set(rows.map(\.name)).count == rows.count)
    #expect(rows.map(\.kind) == rows.map(\.kind).sorted())
    for row in rows {
      #expect(EventTable.definition(of: row.kind)?.name == row.name)
      #expect(EventTable.definition(named: row.name)?.kind == row.kind)
      #expect(!row.isVariadic || !row.arguments.isEmpty)
      #expect(Set(row.arguments.map(\.name)).count == row.arguments.count)
    }
    #expect(
      EventTable.definition(of: EventKind(0)) == nil && EventTable.definition(of: EventKind(255)) == nil)
  }

  /// Names must be words of the text form.
  @Test func namesAreWords() {
    for row in EventTable.definitions {
      #expect(row.name.wholeMatch(of: /[A-Za-z][A-Za-z0-9]*(\.[A-Za-z]+)?/) != nil, "\(row.name)")
      for argument in row.arguments {
        #expect(argument.name.wholeMatch(of: /[a-z][a-z_]*/) != nil, "\(argument.name)")
        #expect(
          (argument.unit == .nanoseconds) == argument.name.hasSuffix("_ns"), "\(row.name) \(argument.name)")
      }
    }
  }

  /// The end of a call or callout has the code after its begin; other code relies on that.
  @Test func callsAndCalloutsComeInPairs() {
    var callouts: [CalloutKind] = []
    for row in EventTable.definitions {
      let end: EventRole
      switch row.role {
      case .callBegin: end = .callEnd
      case .calloutBegin(let kind):
        end = .calloutEnd(kind)
        callouts.append(kind)
      default: continue
      }
      let next = EventTable.definition(of: row.kind.end)
      #expect(next?.role == end && next?.object == row.object && row.kind.end.begin == row.kind)
      #expect(row.name.hasSuffix(".begin") && next?.name == row.name.replacing(".begin", with: ".end"))
    }
    #expect(callouts == CalloutKind.allCases)
    let ends = EventTable.definitions.count {
      switch $0.role {
      case .callEnd, .calloutEnd: true
      default: false
      }
    }
    #expect(ends == callouts.count + 2, "callouts, runs, and waits for queues")
  }

  @Test func activitiesHaveTwoStamps() {
    for activity in Activity.allCases {
      for isHigh in [false, true] {
        let kind = EventKind(activity, isHigh: isHigh)
        #expect(EventTable.role(of: kind.rawValue) == .activity(activity, isHigh: isHigh))
      }
    }
  }

  /// Recovery, redaction and replay rely on these arguments of each role.
  @Test func rolesHaveTheirArguments() {
    for row in EventTable.definitions {
      let first = row.arguments.first
      switch row.role {
      case .defines: #expect(first?.name == "name" && first?.unit == .string && !row.object.isEmpty)
      case .joins, .leaves: #expect(first?.unit == .mode && !row.object.isEmpty)
      case .setsDue, .answersDue: #expect(first?.unit == .time && !row.object.isEmpty)
      case .setsPhase: #expect(first?.unit == .code)
      case .loss: #expect(first?.unit == .count)
      case .ends: #expect(!row.object.isEmpty && row.arguments.isEmpty)
      case .activity, .callBegin, .callEnd, .calloutBegin, .calloutEnd, .evidence, .image, .happens: break
      }
    }
  }

  /// The named positions must agree with the table. The test reads their file, so that it checks all of them.
  @Test func namedPositions() throws {
    let source = try ProjectFiles.text("Sources/Trace/TraceFormat/EventArguments.swift")
    let roles: [String: [EventRole]] = ["defines": [.defines], "membership": [.joins, .leaves]]
    func plain(_ name: some StringProtocol) -> String { String(name).filter(\.isLetter).lowercased() }
    var group = "", rows: [EventDefinition] = [], count = 0
    for match in source.matches(of: /enum (\w+)|(\w+) = (\d+)/) {
      if let name = match.1 {
        group = plain(name)
        rows = EventTable.definitions.filter { roles[group]?.contains($0.role) ?? (plain($0.name) == group) }
      } else if let name = match.2, let position = match.3.flatMap({ Int($0) }) {
        let known = rows.filter { $0.arguments.indices.contains(position) }
        #expect(!known.isEmpty, "\(group) \(name)")
        for row in known {
          #expect(plain(row.arguments[position].name) == plain(name), "\(row.name) \(name)")
        }
        count += 1
      }
    }
    #expect(count == source.matches(of: /\w =/).count && count > 0)
  }

  /// Formats 1.0 to 1.2 predict the objects of these kinds. A change would make their traces unreadable.
  @Test func predictedEnds() {
    let predicted = (UInt8.min...UInt8.max).filter(EventTable.isPredictedByBegin)
    #expect(predicted == [21, 23, 25, 27, 29, 31, 33])
  }

  @Test func objectIDs() {
    let id = ObjectID(slot: 0xABCDE, generation: 0xFFF)
    #expect(id.rawValue == 0xFFFA_BCDE && id.slot == 0xABCDE && id.generation == 0xFFF)
    #expect(ObjectID(slot: 1 << 20, generation: 0) == .none)
  }
}
