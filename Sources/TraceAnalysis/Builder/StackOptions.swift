import CallStacks
import TraceFormat

/// How sampled stacks get names and are judged.
public struct StackOptions {
  /// Names of the functions at addresses, innermost first, for those that the trace itself does not name; nil = nobody
  /// looks them up.
  public var names: ((_ images: [MappedImage], _ addresses: [StackAddress]) -> [StackAddress: [StackFrame]])?
  /// File names of the program's own images, `*` stands for any text; none = a guess.
  public var appImages: [String] = []
  /// Before the package's own.
  public var rules: CauseRules?
  /// The package's own; asked for when there are stacks.
  package var builtInRules: () throws -> CauseRules = { try CauseRules.builtIn() }

  public init() {}
}
