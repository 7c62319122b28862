/// The redaction of the facts about a recording.
enum RedactedFacts {
  static let replacement = "(redacted)"

  /// The fact that marks a redacted trace for its readers.
  static let note = InfoEntry(key: "redacted", value: "names, paths and ids")

  /// Facts whose value is a number.
  private static let numbers: Set<String> = [
    InfoEntry.beginsAt, InfoEntry.droppedEvents, InfoEntry.recorderThread, InfoEntry.heartbeat,
    InfoEntry.flatBlocks,
  ]

  /// Facts whose value is kept if it consists of the words below and small numbers.
  private static let sentences: Set<String> = [
    InfoEntry.recorder, InfoEntry.library, "machine", "due_points", InfoEntry.stackSampling, "kept",
    InfoEntry.snapshot, InfoEntry.endUnknown, InfoEntry.queues, InfoEntry.tasks,
  ]

  /// The words of rltrace's own sentences. Facts come from a file, so the key alone does not show that a value is
  /// harmless.
  private static let words = Set(
    """
    rltrace RunLoopTrace trace format virtual time x86_64 aarch64 arm64 core cores exact from wall clock fire dates each thread \
    s newest events no recorder drained the spool requested by a signal gap gaps of ms after without snapshot end \
    process was not recorded callouts that are open at may have continued jobs
    """.split(separator: " "))

  /// Keys that rltrace writes. Any other key may be a name itself.
  private static let keys = Set<String>([
    InfoEntry.recorder, InfoEntry.library, "machine", "due_points", "kept", "system", InfoEntry.scenario,
    "seed",
    InfoEntry.snapshot,
    InfoEntry.process, InfoEntry.program, InfoEntry.command, InfoEntry.folder, InfoEntry.foundation,
    InfoEntry.deferrable, InfoEntry.endUnknown, InfoEntry.goesOn, InfoEntry.unwrappedCallouts,
    InfoEntry.hangsOnly, InfoEntry.queues, InfoEntry.tasks,
  ]).union(numbers)

  /// Returns the redacted fact. `number` counts facts from 1; it replaces a key that cannot stay.
  static func redacted(_ fact: InfoEntry, number: Int, names: RedactedNames) -> InfoEntry {
    guard keys.contains(fact.key) else { return InfoEntry(key: "fact \(number)", value: replacement) }
    var value: String?
    if fact.key == InfoEntry.deferrable {
      // A timer that does not occur in the trace needs no name.
      value = names.known(fact.value)
    } else if numbers.contains(fact.key) {
      value = UInt64(fact.value).map { "\($0)" }
    } else if fact.key == InfoEntry.goesOn {
      value = TraceEnd(rawValue: fact.value)?.rawValue
    } else if sentences.contains(fact.key), isOwnSentence(fact.value) {
      value = fact.value
    }
    return InfoEntry(key: fact.key, value: value ?? replacement)
  }

  private static func isOwnSentence(_ text: String) -> Bool {
    text.allSatisfy { $0.isASCII && !$0.isNewline }
      && text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.allSatisfy {
        words.contains($0) || ($0.count <= 6 && $0.allSatisfy(\.isNumber))
      }
  }
}
