import Foundation
import TestSupport
import Testing

/// A terminal of 80 × 24 in which a shell runs.
private final class Tmux {
  /// The tmux server keeps running. It must not keep the descriptor by which Foundation notices the end of a process.
  private static let program = Program(
    shell: """
      for file in /proc/$$/fd/*; do n=${file##*/}; if ((n > 2)); then eval "exec $n>&-"; fi; done
      exec tmux "$0" "$@"
      """)
  static let isThere = (try? program.run(["-V"]).status) == 0

  private let socket = "rltrace-\(UUID().uuidString)"
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try run("new-session", "-d", "-x", "80", "-y", "24", "env -u TMUX PS1=READY: sh")
  }

  deinit { _ = try? Self.program.run(["-L", socket, "kill-server"]) }

  @discardableResult
  func run(_ arguments: String...) throws -> String {
    let result = try Self.program.run(["-L", socket, "-f", "/dev/null"] + arguments, folder: folder.path)
    try #require(result.status == 0, "\(arguments): \(result.errors)")
    return result.output
  }

  func type(_ keys: String...) throws { for key in keys { try run("send-keys", key) } }

  /// Types a command line.
  func start(_ line: String) throws { try type(line, "Enter") }

  var screen: [String] {
    ((try? run("capture-pane", "-p")) ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(
      String.init)
  }

  /// Waits until a condition is true. Each check of it may start a program.
  static func isEventuallyTrue(_ condition: () -> Bool) -> Bool {
    let deadline = Date(timeIntervalSinceNow: 10)
    while Date() < deadline {
      if condition() { return true }
      usleep(50_000)
    }
    return condition()
  }

  func shows(_ text: String) -> Bool { Tmux.isEventuallyTrue { screen.contains { $0.contains(text) } } }

  /// The program that the shell runs now; nil = none.
  var child: Int32? {
    guard let shell = try? run("list-panes", "-F", "#{pane_pid}").split(separator: "\n").first else {
      return nil
    }
    let path = "/proc/\(shell)/task/\(shell)/children"
    return (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: " ").first.flatMap {
      Int32($0)
    }
  }

  /// Expects that the shell has its screen, its cursor and its echo back.
  func expectRestored(_ what: String) throws {
    #expect(Tmux.isEventuallyTrue { child == nil }, "\(what)")
    let state = try run("display-message", "-p", "#{alternate_on} #{cursor_flag}")
    #expect(state == "0 1\n", "\(what): \(state)")
    let file = folder.file("stty \(what)")
    try start("stty -a > '\(file)'")
    #expect(
      Tmux.isEventuallyTrue {
        let settings = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return settings.contains(" echo ") && settings.contains(" icanon ")
      }, "\(what)")
  }
}

/// `rltrace watch` in a real terminal.
@Suite(.ownThread, .serialized, .enabled(if: Tmux.isThere, "tmux is not installed"))
struct WatchTerminalTests {
  private let terminal: Tmux
  private static let replay =
    "\(Program.rltrace.path) watch --replay \(SampleTraces.virtual("timer-starvation")) --speed 10000"

  init() throws { terminal = try Tmux() }

  @Test func drawsTheScreen() throws {
    try terminal.start(Self.replay)
    try #require(terminal.shows("the trace ends here"))
    let screen = terminal.screen
    #expect(screen[0].contains("timer-starvation.rltrace, the trace ends here"), "\(screen)")
    #expect(screen.contains { $0.hasPrefix("  TIMER ") }, "\(screen)")
    #expect(screen.contains { $0.contains("refresh (default only)") }, "\(screen)")
    #expect(screen.last { !$0.isEmpty }?.hasPrefix("q quit") == true, "\(screen)")
    try terminal.type("c")
    #expect(terminal.shows("  CALLOUT "))
    try terminal.type("?")
    #expect(terminal.shows("any key goes back"))
    try terminal.type("x", "t", "Down", "Enter")
    #expect(terminal.shows("name "))
    try terminal.run("resize-window", "-x", "40", "-y", "10")
    #expect(
      Tmux.isEventuallyTrue { terminal.screen.filter { !$0.isEmpty }.last?.hasPrefix("q quit") == true })
    #expect(terminal.screen.allSatisfy { $0.count <= 40 })
    try terminal.type("q")
    try terminal.expectRestored("q")
    #expect(terminal.shows("READY:"))
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT]) func signalsRestoreTheTerminal(number: Int32) throws {
    try terminal.start(Self.replay)
    try #require(terminal.shows("the trace ends here"))
    let watch = try #require(terminal.child)
    kill(watch, number)
    try terminal.expectRestored("signal \(number)")
    try terminal.start("echo status $?")
  }

  @Test func stopsAndContinues() throws {
    try terminal.start(Self.replay)
    try #require(terminal.shows("the trace ends here"))
    try terminal.type("C-z")
    #expect(
      Tmux.isEventuallyTrue { (try? terminal.run("display-message", "-p", "#{alternate_on}")) == "0\n" })
    try terminal.start("fg")
    #expect(terminal.shows("the trace ends here"))
    try terminal.type("q")
    try terminal.expectRestored("after fg")
  }

  /// The watched program is killed: the view ends with the recording.
  @Test func theEndOfTheProgramRestoresTheTerminal() throws {
    let rltrace = Program.rltrace.path
    try terminal.start(
      "\(rltrace) record --watch -o out.rltrace -- \(Program.loopPrograms.path) timers 100000")
    try #require(terminal.shows("q quit"))
    #expect(terminal.shows("main "))
    let recorder = try #require(terminal.child)
    let children = try String(contentsOfFile: "/proc/\(recorder)/task/\(recorder)/children", encoding: .utf8)
    let program = try #require(children.split(separator: " ").first.flatMap { Int32($0) })
    kill(program, SIGKILL)
    #expect(terminal.shows("recorded "))
    try terminal.expectRestored("killed program")
    #expect(terminal.folder.names.contains("out.rltrace") && terminal.folder.names.contains("out.log"))
  }

  @Test func theRecordingGoesOnWithoutTheView() throws {
    try terminal.start(
      "\(Program.rltrace.path) record --watch --log mine.log -o out.rltrace -- \(Program.loopPrograms.path) "
        + "timers 100000")
    try #require(terminal.shows("q quit"))
    try terminal.type("q")
    #expect(terminal.shows("the recording goes on"))
    try terminal.type("C-c")
    #expect(terminal.shows("recorded "))
    try terminal.expectRestored("Ctrl-C")
    #expect(terminal.folder.names.contains("mine.log"))
  }
}
