import CallStacks
import TraceFormat

/// How sampled stacks get names and are judged.
public struct StackOptions {
  /// Names of the functions at addresses, innermost first, for those that the trace itself does not name; nil = they
  /// stay without names.
  public var names: ((_ images: [MappedImage], _ addresses: [StackAddress]) -> [StackAddress: [StackFrame]])?
  /// Ask also for addresses whose names in the trace have no line.
  public var completesNames = false
  /// File names of the program's own images, `*` stands for any text; none = a guess.
  public var appImages: [String] = []
  /// Before the package's own.
  public var rules: CauseRules?
  /// The package's own; asked for when there are stacks.
  package var builtInRules: () throws -> CauseRules = { try CauseRules.builtIn() }

  public init() {}
}
