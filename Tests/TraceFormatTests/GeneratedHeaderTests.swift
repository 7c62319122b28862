import TestSupport
import Testing
import TraceFormat

/// The generated C header of the event table and the vocabulary.
@Suite struct GeneratedHeaderTests {
  @Test func vocabularyOfC() throws {
    let kinds = EventTable.definitions.filter(Self.isOfC).map {
      "  \(Self.constant($0)) = \($0.kind.rawValue),"
    }
    let bits = (0...Activity.allCases.map(\.rawValue.trailingZeroBitCount).max()!).map { bit in
      Activity(rawValue: 1 << UInt(bit)).flatMap { EventTable.definition(of: EventKind($0)) }.map(
        Self.constant) ?? "0"
    }
    let reasons = StackReason.allCases.map { "RLT_STACK_OF_\($0.name.uppercased()) = \($0.rawValue)" }
    let unsampled = UnsampledReason.allCases.map {
      "RLT_UNSAMPLED_\($0.name.uppercased()) = \($0.rawValue)"
    }
    let descriptors = DescriptorKind.allCases.map {
      "  RLT_DESCRIPTOR_\($0.name.uppercased()) = \($0.rawValue),"
    }
    let snapshots = SnapshotReason.allCases.map {
      "RLT_SNAPSHOT_AT_\($0.name.uppercased()) = \($0.rawValue)"
    }
    let items = LoopItemKind.allCases.map { "RLT_ITEM_\($0.name.uppercased()) = \($0.rawValue)" }
    var ofOneThread = [UInt64](repeating: 0, count: 4)
    for row in EventTable.definitions where Self.isOfOneThread(row) {
      ofOneThread[Int(row.kind.rawValue) / 64] |= 1 << (UInt64(row.kind.rawValue) % 64)
    }
    let header = """
      // Made by tools/generate from Sources/RunLoopVocabulary and the event table: not to be edited.
      #ifndef RLTRACE_VOCABULARY_H
      #define RLTRACE_VOCABULARY_H

      // Codes of the events that C emits. A callout's end has its begin's plus one, a high stamp the low one's.
      enum {
      \(kinds.joined(separator: "\n"))
      };

      // The low stamp of each activity, indexed by the activity's bit in CFRunLoopActivity; 0 where there is none.
      #define RLT_LOW_KIND_OF_ACTIVITY_BIT \\
        { \(bits.joined(separator: ", \\\n    ")) }

      // A bit for each kind of event that says something only among the other events of its thread.
      #define RLT_KINDS_OF_ONE_THREAD { \(ofOneThread.map { "0x\(String($0, radix: 16))u" }.joined(separator: ", ")) }

      // Why a call stack was sampled.
      enum { \(reasons.joined(separator: ", ")) };

      // Why a call stack could not be sampled.
      enum { \(unsampled.joined(separator: ", ")) };

      // Phases in the life of an app, those before the first mark included.
      enum { RLT_PHASE_LAUNCHING = \(LifePhase.launching.rawValue), RLT_PHASE_BACKGROUND = \(LifePhase.background.rawValue), RLT_PHASE_SUSPENDED = \(LifePhase.suspended.rawValue) };
      enum { RLT_PHASES = \(LifePhase.allCases.count + 1) };

      // Why the contents of a loop were recorded, and the kinds of items in a loop.
      enum { \(snapshots.joined(separator: ", ")) };
      enum { \(items.joined(separator: ", ")) };

      // The kind of descriptor that a thread waits for.
      enum {
      \(descriptors.joined(separator: "\n"))
      };

      // The longest interval of a timer, and the longest time limit of a run.
      #define RLT_LONGEST_SECONDS \(RunLoopLimits.longestSeconds)

      #endif

      """
    try GeneratedFile.expect("Sources/CRLTraceShims/include/rltrace_vocabulary.h", is: header)
  }

  /// Returns whether C code uses the event: those of loops, items, rings, phases, stacks and snapshots. Swift code
  /// records the events of the process, marks and services.
  private static func isOfC(_ row: EventDefinition) -> Bool {
    switch row.role {
    case .calloutEnd, .activity(_, isHigh: true): false
    case .loss: true
    default:
      row.kind <= .loopEnd || row.kind >= .threadState || [.lifeCycle, .imageMap].contains(row.kind)
    }
  }

  /// Returns whether the event begins or ends something on its own thread, or is part of a snapshot.
  private static func isOfOneThread(_ row: EventDefinition) -> Bool {
    switch row.role {
    case .activity, .callBegin, .callEnd, .calloutBegin, .calloutEnd, .answersDue: true
    default: row.name.hasPrefix("topology.")
    }
  }

  /// Returns the constant of an event: `timer.begin` is RLT_KIND_TIMER_BEGIN.
  private static func constant(_ row: EventDefinition) -> String {
    var name = "RLT_KIND_"
    var isAfterLower = false
    for character in row.name {
      if character.isUppercase, isAfterLower { name += "_" }
      name += character == "." ? "_" : character.uppercased()
      isAfterLower = character.isLowercase || character.isNumber
    }
    return name
  }
}
