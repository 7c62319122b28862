import ArgumentParser
import Symbolication
import SystemSupport
import TraceAnalysis
import TraceCompression
import TraceFormat

struct Symbolicate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "symbolicate",
    abstract: "Adds the names of functions, files and lines to a trace.",
    discussion: """
      The copy has names for the code addresses of its stacks, including inlined functions. Its readers then need \
      neither the program nor its debug information. The files must be from the build that was recorded. symbolicate \
      searches --symbols for files that have moved. Lines come from llvm-symbolizer ($RLTRACE_SYMBOLIZER, or on the \
      PATH). Without it, functions come from symbol tables.

      Examples:
        rltrace symbolicate app.rltrace -o named.rltrace
        rltrace symbolicate app.rltrace -o named.rltrace --symbols ./build --symbols ~/.cache/debuginfod_client
        rltrace symbolicate app.rltrace -o named.rltrace && rltrace redact named.rltrace -o shared.rltrace
      """)

  @Argument(help: "The trace.", completion: .file(extensions: ["rltrace"]))
  var file: String

  @Option(
    name: .shortAndLong, help: "The copy to write; - is standard output.",
    completion: .file(extensions: ["rltrace"]))
  var output: String

  @Option(
    help: ArgumentHelp(
      "A folder with programs, .debug files, a .build-id or debuginfod tree, or dSYM bundles. May be repeated.",
      valueName: "dir"), completion: .directory)
  var symbols: [String] = []

  @Flag(help: ArgumentHelp(StrictReading.help)) var strict = false

  func run() throws {
    FileUse.read(file)
    try FileUse.write([(output, "-o")])
    let reader = try StrictReading.open(file, isStrict: strict)
    for folder in symbols { try SymbolFolder.check(folder) }
    let sink = try Output.binary(output)
    do throws(TraceFormatError) {
      guard let codec = allCodecs(reader.header.codec) else {
        throw .codecMissing(offset: 16, block: nil, codec: reader.header.codec.rawValue)
      }
      let progress = AnalysisProgress(file: file, what: "reading stacks of")
      defer { progress.finish() }
      let code = try RecordedCode(reader) { progress.update($0) }
      let account = NamingAccount(code, folders: symbols, known: try FrameNames(reader))
      try FileUse.open(output)
      try FrameNaming.write(account.naming.names, copying: reader, sink: sink, codec: codec)
      progress.finish()
      for line in account.summary(output) { Terminal.complain(line) }
    } catch {
      sink.discard()
      switch error {
      case .system(.other, _), .nameTaken: throw Output.failure(output, error)
      default: throw Failure.reading(file, error)
      }
    }
    if let problem = reader.problem { throw Failure.incomplete(file, problem, reader) }
  }
}

/// A folder given with --symbols.
enum SymbolFolder {
  static func check(_ folder: String) throws(Failure) {
    var status = stat()
    guard stat(folder, &status) == 0 else {
      throw Failure(
        status: .noInput, message: "--symbols \(folder): \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw Failure(status: .noInput, message: "--symbols \(folder): not a folder")
    }
  }
}

/// The result of naming the addresses of a trace.
private struct NamingAccount {
  /// The number of images that the summary lists.
  private static let listed = 10

  let naming: TraceNaming
  private let code: RecordedCode
  private let symbolizer: StackSymbolizer

  init(_ code: RecordedCode, folders: [String], known: FrameNames) {
    self.code = code
    symbolizer = StackSymbolizer(folders: folders)
    naming = TraceNaming(code, known: known, symbolizer)
    FileUse.read(symbolizer.filesRead, as: "symbol file")
  }

  func summary(_ output: String) -> [String] {
    guard !code.addresses.isEmpty else {
      return ["the trace has no code addresses, so there is nothing to name"]
    }
    var lines = [
      "named \(naming.named) of \(Phrase.count(UInt64(code.addresses.count), "code address", "code addresses")), "
        + "\(naming.withLines) with file and line: \(Output.name(output))"
    ]
    if let advice = symbolizer.lineReaderAdvice { lines.append(advice) }
    let reasons = naming.unnamed.ordered { ($1.value, $0.key) < ($0.value, $1.key) }
    lines += reasons.prefix(Self.listed).map {
      "\(harmless($0.key, limit: 200)) (\($0.value) without a name)"
    }
    if reasons.count > Self.listed { lines.append("and \(reasons.count - Self.listed) more like these") }
    if !naming.failedImages.isEmpty {
      lines.append(
        "llvm-symbolizer failed, so these images have no lines: \(list(naming.failedImages.ordered()))")
    }
    let unverified = symbolizer.unverifiedImages.ordered()
    if !unverified.isEmpty {
      lines.append(
        "these images were recorded without a build id, so their files may have changed since: \(list(unverified))"
      )
    }
    for folder in symbolizer.cutFolders {
      lines.append("--symbols \(folder): too many files or folders; rltrace did not search all of them")
    }
    if code.ignored > 0 {
      lines.append("\(code.ignored) images or addresses exceed the limits and were left out")
    }
    return lines
  }

  private func list(_ names: [String]) -> String {
    names.prefix(Self.listed).map { harmless($0, limit: 60) }.joined(separator: ", ")
      + (names.count > Self.listed ? " …" : "")
  }
}
