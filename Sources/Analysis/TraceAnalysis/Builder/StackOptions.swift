import CallStacks
import TraceFormat

/// The options for naming and judging sampled stacks.
package struct StackOptions {
  /// Looks up the functions at addresses that the trace does not name, innermost first; nil leaves them unnamed.
  package var names: ((_ images: [MappedImage], _ addresses: [StackAddress]) -> [StackAddress: [StackFrame]])?
  /// Whether to look up addresses whose names in the trace have no line.
  package var completesNames = false
  /// File names of the program's own images, in which `*` matches any text; empty = they are guessed.
  package var appImages: [String] = []
  /// Rules that take precedence over the package's own.
  package var rules: CauseRules?
  /// The package's own rules, loaded only if there are stacks.
  package var builtInRules: () throws -> CauseRules = { try CauseRules.builtIn() }

  package init() {}
}
