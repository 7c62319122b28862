import TraceFormat
import TraceValidation

/// Opens traces in the same way for each command. The flags are not an option group, because a group would cost
/// start-up time in each command.
enum StrictReading {
  /// The help text of `--strict`.
  static let help = "Refuse a damaged or incomplete trace, with status 65 (default: use its intact parts)."

  static func open(
    _ file: String, isStrict: Bool, longNames: LongNames? = nil
  ) throws(Failure) -> TraceReader {
    let reader = try openTrace(file, longNames: longNames)
    if isStrict { try refuseLoss(reader, file) }
    return reader
  }

  /// Throws if the trace is damaged or cut short. Called before anything is written.
  private static func refuseLoss(_ reader: TraceReader, _ file: String) throws(Failure) {
    if let problem = reader.problem { throw refusal(file, problem.reason) }
    let progress = AnalysisProgress(file: file, what: "validating")
    defer { progress.finish() }
    let fault: Fault?
    do throws(TraceFormatError) {
      fault = try Validation(reader, limit: 1, progress: progress.update).fault
    } catch {
      throw .reading(file, error)
    }
    // Intact bytes may describe events that no loop produces, but nothing is lost.
    guard let fault, fault > .illegal else { return }
    throw refusal(file, reader.problem?.reason ?? "blocks out of order")
  }

  private static func refusal(_ file: String, _ why: String) -> Failure {
    Failure(
      status: .badData, file: file,
      message: "refused by --strict: \(why); `rltrace validate \(file)` lists what is wrong")
  }
}
