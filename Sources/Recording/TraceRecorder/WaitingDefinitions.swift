import TraceFormat

/// Definitions from the log of names that are still to be written.
struct WaitingDefinitions {
  private var names: SpoolNames
  private let namer: CodeNamer?
  private var waiting = SpoolNames.Definitions()
  private var recorded = RecordedNames()

  /// `namer` nil = code is named by its addresses.
  init(_ spool: Spool, namer: CodeNamer?) {
    names = SpoolNames(spool: spool, namer: namer)
    self.namer = namer
  }

  /// Takes what is new in the log.
  mutating func take() {
    let new = names.takeNew()
    recorded.note(new)
    waiting.append(new)
  }

  /// Takes the rest of the log, and waits for the names of all code. Hands over what becomes events.
  mutating func takeAll(_ notes: RecorderNotes?, at moment: ClockReading) {
    namer?.wait()
    take()
    if let notes { waiting.strings += recorded.hand(to: notes, at: moment) }
  }

  mutating func add(_ facts: [InfoEntry]) { waiting.info += facts }

  /// Adds a thread of the recorder.
  mutating func add(_ thread: ThreadDefinition) {
    waiting.append(SpoolNames.Definitions(recorderThread: thread))
  }

  /// Writes all definitions. Returns false, and keeps them, if that fails.
  mutating func write(to output: RetriedOutput) -> Bool {
    take()
    guard !waiting.isEmpty else { return true }
    return output.attempt { target throws(TraceFormatError) in try target.write(&waiting) }
  }

  /// Returns the names of code that are not known yet, for a part of the recording.
  func further() -> (@Sendable () -> [NamedCode])? { namer?.untaken() }
}
