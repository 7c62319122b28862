import ArgumentParser
import TraceAnalysis

/// The state by whose values results are split: `state:NAME`.
struct SplitArgument {
  private static let prefix = "state:"

  let state: String

  static func read(_ text: String) throws -> SplitArgument {
    guard text.hasPrefix(prefix), text.count > prefix.count else {
      throw ValidationError("write state:NAME, with the name of a state that the program sets.")
    }
    return SplitArgument(state: String(text.dropFirst(prefix.count)))
  }

  /// Throws if the analyzed span has no such state.
  func check(_ analysis: Analysis) throws(Failure) {
    let known = Set(analysis.states.map(\.state)).ordered()
    guard !known.contains(ShownName.of(state)) else { return }
    throw Failure(
      status: .usage, message: "no state '\(state)' in the trace" + KnownNames.hint(state, in: known))
  }
}
