import ArgumentParser
import TraceReport

/// Whether the text that a command prints has colours.
struct ColorArguments: ParsableArguments {
  enum Choice: String, ExpressibleByArgument, CaseIterable { case auto, always, never }

  @Option(help: "Colours in text: auto (on a terminal, unless NO_COLOR is set), always or never.")
  var color: Choice = .auto

  /// How standard output is written.
  var style: TextStyle {
    Terminal.style(isColoured: color == .always || color == .auto && Terminal.wantsColour)
  }
}
