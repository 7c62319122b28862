import ArgumentParser
import ReportWriting

/// The option for colours in the text that a command prints.
struct ColorArguments: ParsableArguments {
  enum Choice: String, OptionWord { case auto, always, never }

  @Option(help: "Colours in text: auto (on a terminal, unless NO_COLOR is set), always or never.")
  var color: Choice = .auto

  var isColoured: Bool { color == .always || color == .auto && Terminal.wantsColour }

  /// The style of text on standard output.
  var style: TextStyle { Terminal.style(isColoured: isColoured) }
}
