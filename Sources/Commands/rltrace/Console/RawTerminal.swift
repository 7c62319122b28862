import Foundation
import TextReport

/// The terminal as a screen: without echo and line editing, on the alternate screen.
///
/// The terminal is restored before the process ends or stops, unless SIGKILL ends it.
final class RawTerminal {
  nonisolated(unsafe) private static var original = termios()
  nonisolated(unsafe) private static var isEntered = false
  nonisolated(unsafe) private static var wasResized = false
  /// The sequences that show the alternate screen without a cursor, and that restore the normal screen.
  private static let entering: StaticString = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J"
  private static let leaving: StaticString = "\u{1B}[?25h\u{1B}[?1049l"

  private var drawn: [String] = []
  private var input: [UInt8] = []

  /// Returns nil if standard input or output is not a terminal, or the terminal cannot move its cursor.
  init?() {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
      let kind = getenv("TERM").map({ String(cString: $0) }), !["", "dumb"].contains(kind),
      tcgetattr(STDIN_FILENO, &RawTerminal.original) == 0
    else { return nil }
  }

  func enter() {
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] where !isIgnored(signal: number) {
      signal(number) { number in
        RawTerminal.restore()
        _exit(128 + number)
      }
    }
    signal(SIGTSTP) { _ in
      RawTerminal.restore()
      kill(getpid(), SIGSTOP)
      // The process stops here until a SIGCONT arrives.
      RawTerminal.takeOver()
      RawTerminal.wasResized = true
    }
    signal(SIGWINCH) { _ in RawTerminal.wasResized = true }
    RawTerminal.takeOver()
  }

  func leave() { RawTerminal.restore() }

  private static func takeOver() {
    var raw = original
    raw.c_lflag &= ~tcflag_t(ECHO | ICANON)
    tcsetattr(STDIN_FILENO, TCSANOW, &raw)
    write(entering)
    isEntered = true
  }

  /// Only calls that a signal handler may make.
  private static func restore() {
    guard isEntered else { return }
    isEntered = false
    write(leaving)
    tcsetattr(STDIN_FILENO, TCSANOW, &original)
  }

  private static func write(_ text: StaticString) {
    _ = Foundation.write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
  }

  /// Returns whether the size changed since the last call, or the screen has to be redrawn.
  func takeResize() -> Bool {
    guard RawTerminal.wasResized else { return false }
    RawTerminal.wasResized = false
    drawn = []
    return true
  }

  var size: (width: Int, height: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (min(Int(size.ws_col), 1000), min(Int(size.ws_row), 500))
  }

  /// Draws the lines that differ from those on the screen.
  func draw(_ lines: [String]) {
    var text = drawn.count == lines.count ? "" : "\u{1B}[2J"
    for (row, line) in lines.enumerated() where drawn.count != lines.count || drawn[row] != line {
      text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
    }
    drawn = lines
    guard !text.isEmpty else { return }
    text.withUTF8 { _ = Terminal.writeOutput(UnsafeRawBufferPointer($0)) }
  }

  /// Waits for keys, and returns them.
  func keys(withinNs limitNs: UInt64) -> [WatchKey] {
    var wanted = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard poll(&wanted, 1, Int32(limitNs / 1_000_000)) > 0 else {
      return WatchKey.parse(&input, isOver: true)
    }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    // The terminal is gone.
    if count == 0 { return [.character("q")] }
    input += bytes.prefix(max(count, 0))
    return WatchKey.parse(&input, isOver: false)
  }
}
