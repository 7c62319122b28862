import ArgumentParser
import Foundation
import PageReport
import SystemPackage
import TraceAnalysis
import TraceExchange
import TraceFormat

struct Open: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open",
    abstract: "Opens a trace in a viewer: Perfetto, Firefox Profiler, speedscope, or the HTML report.",
    discussion: """
      Examples:
        rltrace open app.rltrace
        rltrace open app.rltrace --in perfetto
        rltrace open app.rltrace --in firefox --from 2 --to 5
        rltrace open app.rltrace --in speedscope --no-browser

      The trace stays on this machine: the viewer is a page in your browser, which fetches a temporary file from \
      127.0.0.1. The command ends once the file has been fetched.
      """)

  /// The viewers, and the addresses that make each fetch the file.
  enum Viewer: String, OptionWord {
    case perfetto, firefox, speedscope, report

    /// The page that shows the file; empty for the report, which is the page itself.
    fileprivate var origin: String { format?.viewer ?? "" }

    fileprivate var format: TimelineFormat? { TimelineFormat(name: rawValue) }

    /// Perfetto's page may connect to this port only.
    fileprivate var port: UInt16? { self == .perfetto ? 9001 : nil }

    /// Returns the address that makes the page fetch `url`.
    fileprivate func address(of url: String) -> String {
      let escaped = url.map { $0 == ":" ? "%3A" : $0 == "/" ? "%2F" : String($0) }.joined()
      return switch self {
      case .perfetto: "\(origin)/#!/?url=\(url)"
      case .firefox: "\(origin)/from-url/\(escaped)"
      case .speedscope: "\(origin)/#profileURL=\(escaped)"
      case .report: url
      }
    }
  }

  @Argument(help: "The trace.", completion: .file(extensions: ["rltrace"]))
  var file: String

  @Option(name: .customLong("in"), help: ArgumentHelp("The viewer.", valueName: "viewer"))
  var viewer = Viewer.report

  @Flag(help: "Print the address instead of opening a browser.")
  var noBrowser = false

  @Option(
    help: ArgumentHelp("How long to wait for the viewer (default 2min).", valueName: "duration"),
    transform: DurationArgument.read)
  var timeout: DurationArgument?

  @OptionGroup var slices: ViewerArguments
  @OptionGroup var gaps: GapArguments
  @OptionGroup var span: SpanArguments

  @Flag(help: ArgumentHelp(StrictReading.help)) var strict = false

  func validate() throws {
    if viewer == .report { try slices.refuse(for: "the report") }
  }

  func run() throws {
    FileUse.read(file)
    gaps.enterFiles()
    let asked = try gaps.options()
    let reader = try StrictReading.open(file, isStrict: strict, longNames: ShownName.whileReading)
    let options = try span.applied(to: asked, reader, file)
    if let format = viewer.format {
      try serve(format, reader, options)
    } else {
      try openReport(reader, options)
    }
  }

  // MARK: The report

  /// Writes the page into the folder for temporary files. It stays there, because the browser reads it later.
  private func openReport(_ reader: TraceReader, _ asked: AnalysisOptions) throws {
    var options = asked
    let timeline = TimelineBuilder(reader, from: options.from, to: options.to)
    options.sink = timeline
    let run = try AnalysisRun(reader, options, file: file)
    let page = try HTMLReport(reader, file: file).render(run.analysis, timeline: timeline)
    let path = try OtherProgram.temporaryFile(".html")
    try WholeFile.write(page, to: path, option: "the folder for temporary files")
    try show("file://" + path)
    if let problem = run.problem { throw problem }
  }

  // MARK: Viewers

  /// The file is served from memory.
  private static let servedSlices = 500_000

  private func serve(_ format: TimelineFormat, _ reader: TraceReader, _ options: AnalysisOptions) throws {
    let bytes = MemorySink()
    let limit = slices.maxSlices ?? min(format.usualSlices, Self.servedSlices)
    let (run, _) = try slices.export(
      format, reader, options, file: file, limit: limit, to: bytes, path: "the file for the viewer")
    let server: OneFileServer
    do {
      server = try OneFileServer(port: viewer.port, origin: viewer.origin)
    } catch let error as Errno {
      throw Failure(
        status: .unavailable,
        message:
          "cannot listen on 127.0.0.1:\(viewer.port ?? 0): \(error); is another `rltrace open` waiting?")
    }
    try show(viewer.address(of: server.url))
    let wasFetched = server.serve(bytes.bytes, forNs: timeout?.nanoseconds ?? 120_000_000_000)
    guard wasFetched else {
      throw Failure(
        status: .unavailable, file: file,
        message:
          "no viewer fetched the file; open the address above while the command runs, or use `rltrace export`"
      )
    }
    Terminal.complain("the viewer has the file")
    if let problem = run.problem { throw problem }
  }

  /// Prints the address, and opens it if there is a browser.
  private func show(_ address: String) throws {
    try Terminal.print(address + "\n")
    if !noBrowser { Browser.open(address) }
  }
}

/// The user's browser.
private enum Browser {
  /// Opens the address. Without a browser, the user opens it by hand.
  static func open(_ address: String) {
    func variable(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    #if os(macOS)
    let command: String? = "open"
    #else
    let hasDisplay = variable("DISPLAY") != nil || variable("WAYLAND_DISPLAY") != nil
    let command = variable("BROWSER") ?? (hasDisplay ? "xdg-open" : nil)
    #endif
    guard let command else { return }
    // The command does not wait for the browser, which keeps running.
    OtherProgram.start([command, address])
  }
}
