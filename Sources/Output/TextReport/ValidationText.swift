import TraceAnalysis
import TraceFormat
import TraceValidation

/// Writes the problems of a trace as text: a line for each problem, and one for the result.
package struct ValidationText {
  private let validation: Validation
  private let unit: TimeUnit

  package init(_ validation: Validation, _ reader: TraceReader) {
    self.validation = validation
    unit = reader.header.timeUnit
  }

  package func lines(file: String) -> [String] {
    let file = harmless(file, limit: 200)
    var lines = validation.problems.map { problem in
      var place = "block \(problem.block), byte \(problem.offset)"
      if let time = problem.time { place += ", \(Units.moment(unit.nanoseconds(of: time)))" }
      if let thread = problem.thread { place += ", thread \(thread)" }
      return "\(file): \(problem.fault.rawValue): \(place): \(problem.what)"
    }
    if validation.omitted > 0 {
      lines.append(
        "\(file): \(Phrase.count(validation.omitted, "further problem is", "further problems are")) not listed"
      )
    }
    return lines + ["\(file): \(result)"]
  }

  private var result: String {
    let whole =
      "\(Phrase.count(validation.events, "event", "events")) in "
      + Phrase.count(UInt64(validation.eventBlocks), "intact block", "intact blocks")
    guard let fault = validation.fault else { return "sound: \(whole)" }
    let count = UInt64(validation.problems.count) &+ validation.omitted
    return "\(fault.rawValue): \(Phrase.count(count, "problem", "problems")); \(whole)"
  }
}
