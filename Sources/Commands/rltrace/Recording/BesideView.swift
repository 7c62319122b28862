import Foundation
import ProgramRecorder

/// The view of a recording that runs in the terminal of its recorder. The program's own output goes to a file.
final class BesideView {
  /// The descriptor of that file.
  let output: Int32
  private let log: String
  private var process: pid_t = 0

  init(log: String) throws(Failure) {
    self.log = log
    // Earlier output stays.
    output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0o666)
    guard output >= 0 else {
      throw Failure(
        status: .cannotCreate, message: "cannot write \(log): \(String(cString: strerror(errno)))")
    }
  }

  /// Whether the view covers the terminal.
  var isOpen: Bool { process > 0 }

  func start(_ trace: String, beside program: borrowing ChildProgram, _ environment: [SystemText]) {
    do throws(LaunchError) {
      process = try program.startBeside(
        ["/proc/self/exe", "watch", "--quiet", trace].map { SystemText($0) },
        environment: environment, ignoredHere: IgnoredSignals.here)
    } catch {
      Terminal.complain("cannot show the recording: \(String(cString: strerror(error.code)))")
    }
  }

  /// Checks whether the user has closed the view. If so, prints a note unless `isQuiet`.
  func tick(isQuiet: Bool) {
    guard process > 0, waitpid(process, nil, WNOHANG) == process else { return }
    process = 0
    if !isQuiet {
      Terminal.complain("the recording goes on; the program's output is in \(log), and Ctrl-C ends both")
    }
  }

  /// Waits for the view to notice the recording's end and to give the terminal back.
  func waitForEnd() {
    guard process > 0 else { return }
    for _ in 0..<40 {
      if waitpid(process, nil, WNOHANG) != 0 {
        process = 0
        return
      }
      usleep(50_000)
    }
    kill(process, SIGCONT)
    kill(process, SIGTERM)
    waitpid(process, nil, 0)
    process = 0
  }
}
