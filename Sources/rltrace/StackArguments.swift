import ArgumentParser
import CallStacks
import CheckedYAML
import Symbolication
import TraceAnalysis
import TraceFormat

/// How sampled stacks get names, and by what they are judged.
struct StackArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "For sampled stacks: a folder with programs, .debug files, a .build-id or debuginfod tree; may be repeated.",
      valueName: "dir"), completion: .directory)
  var symbols: [String] = []

  @Option(
    help: ArgumentHelp(
      "For sampled stacks: an image of the program's own, * stands for any text; may be repeated (default: a guess).",
      valueName: "name"))
  var appImage: [String] = []

  @Option(
    help: "For sampled stacks: a YAML file with rules for causes, before the built-in ones.",
    completion: .file(extensions: ["yaml", "yml"]))
  var rules: String?

  func options() throws(Failure) -> StackOptions {
    for folder in symbols { try SymbolFolder.check(folder) }
    var options = StackOptions()
    options.appImages = appImage
    options.rules = try rules.map(CauseRules.load)
    options.names = { [symbols] images, addresses in
      let symbolizer = StackSymbolizer(folders: symbols)
      for image in images { symbolizer.add(image, knowsBias: false) }
      return symbolizer.frames(of: addresses).mapValues { $0.map(StackFrame.init) }
    }
    return options
  }
}

extension StackFrame {
  fileprivate init(_ found: SymbolizedFrame) {
    self.init(
      image: found.image, symbol: found.fullName ?? found.symbol, demangled: found.function, file: found.file,
      line: found.line)
    isInlined = found.isInlined
  }
}

extension CauseRules {
  /// Of a file, or what is wrong in which line.
  static func load(_ path: String) throws(Failure) -> CauseRules {
    try TextFile.load(path) { text throws(TextFileError) in try CauseRules(text) }
  }
}
