import ArgumentParser
import ReportWriting

/// The value of `--color`, for colours in the text that a command prints. The option is not in a group, because a group
/// would cost start-up time in each command.
enum ColorChoice: String, OptionWord {
  case auto, always, never

  /// The help text of `--color`.
  static let help = "Colours in text: auto (on a terminal, unless NO_COLOR is set), always or never."

  var isColoured: Bool { self == .always || self == .auto && Terminal.wantsColour }

  /// The style of text on standard output.
  var style: TextStyle { Terminal.style(isColoured: isColoured) }
}
