import CallStacks
import CheckedYAML
import Symbolication
import TraceAnalysis
import TraceFormat

/// The options for naming and judging sampled stacks.
extension GapArguments {
  func stackOptions() throws(Failure) -> StackOptions {
    for folder in symbols { try SymbolFolder.check(folder) }
    var options = StackOptions()
    options.appImages = appImage
    options.rules = try rules.map(CauseRules.load)
    options.completesNames = !symbols.isEmpty
    options.names = { [symbols] images, addresses in
      let symbolizer = StackSymbolizer(folders: symbols)
      for image in images { symbolizer.add(image, knowsBias: false) }
      let frames = symbolizer.frames(of: addresses)
      FileUse.read(symbolizer.filesRead, as: "symbol file")
      return frames.mapValues { $0.map(StackFrame.init) }
    }
    return options
  }
}

extension StackFrame {
  init(_ found: SymbolizedFrame) {
    self.init(
      image: found.image, symbol: found.fullName ?? found.symbol, demangled: found.function, file: found.file,
      line: found.line)
    self.isInlined = found.isInlined
  }
}

extension CauseRules {
  /// Loads the rules from a file. Throws an error with the line of the mistake.
  static func load(_ path: String) throws(Failure) -> CauseRules {
    try TextFile.load(path) { text throws(TextFileError) in try CauseRules(text) }
  }
}
