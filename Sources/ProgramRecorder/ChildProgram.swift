import TraceFormat

/// Why a program could not be started.
public struct LaunchError: Error, Sendable {
  public let code: Int32
}

/// How a program ended.
public enum ProgramEnd: Sendable, Equatable {
  case exited(Int32)
  case signalled(Int32)

  /// As a shell gives it: the status, or 128 + the signal's number.
  public var status: Int32 {
    switch self {
    case .exited(let status): status
    case .signalled(let number): 128 + number
    }
  }
}

/// A program that runs in this process's place: same group, same terminal, same streams.
///
/// Everything here belongs to one thread, the one that called `blockSignals` before any other was made.
public struct ChildProgram: ~Copyable {
  public let processID: pid_t
  private var signals: SignalSet
  private var isStopped = false

  /// Signals that this process leaves to the program.
  public static func blockSignals() -> SignalSet { SignalSet() }

  /// Starts `command`, found as a shell finds it. `ignored` are the signals that this process ignores for itself.
  public init(
    command: [String], environment: [String], signals: consuming SignalSet, ignoredHere: [Int32]
  ) throws(LaunchError) {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setsigmask(&attributes, &signals.original)
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in ignoredHere { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var process = pid_t()
    let code = withCStrings(command) { arguments in
      withCStrings(environment) { variables in
        posix_spawnp(&process, arguments[0]!, nil, &attributes, arguments, variables)
      }
    }
    guard code == 0 else { throw LaunchError(code: code) }
    processID = process
    self.signals = signals
  }

  /// Waits for the program's end, passing signals on. `tick` is called about every 100 ms, `onUserSignal` for SIGUSR2
  /// sent to this process: true = it was meant for us. `onStop` is told the signal that stopped the program, `onContinue`
  /// that it goes on: each at once.
  public mutating func wait(
    tick: () -> Void, onUserSignal: () -> Bool, onStop: (_ signal: Int32) -> Void, onContinue: () -> Void
  ) -> ProgramEnd {
    while true {
      if let end = reap(onStop, onContinue) { return end }
      var info = siginfo_t()
      var timeout = timespec(tv_sec: 0, tv_nsec: 100_000_000)
      let number = sigtimedwait(&signals.waited, &info, &timeout)
      if number > 0, !(number == SIGUSR2 && onUserSignal()) { pass(number, info) }
      tick()
    }
  }

  private mutating func reap(_ onStop: (Int32) -> Void, _ onContinue: () -> Void) -> ProgramEnd? {
    var status: Int32 = 0
    while true {
      let found = waitpid(processID, &status, WNOHANG | WUNTRACED | WCONTINUED)
      if found < 0, errno == EINTR { continue }
      guard found == processID else { return found < 0 ? .exited(0) : nil }
      if status & 0xFF == 0x7F {
        isStopped = true
        onStop(status >> 8 & 0xFF)
        mirrorStop(status >> 8 & 0xFF)
      } else if status == 0xFFFF {
        isStopped = false
        onContinue()
      } else if status & 0x7F == 0 {
        return .exited(status >> 8 & 0xFF)
      } else {
        return .signalled(status & 0x7F)
      }
    }
  }

  /// The program was stopped from the terminal: so is this process, so that the shell sees its job stopped. SIGSTOP
  /// is not mirrored: it is sent to one process, by somebody who means that one.
  private func mirrorStop(_ number: Int32) {
    guard [SIGTSTP, SIGTTIN, SIGTTOU].contains(number) else { return }
    var one = sigset_t()
    sigemptyset(&one)
    sigaddset(&one, number)
    kill(getpid(), number)
    // Stops here, and goes on when somebody continues this process.
    pthread_sigmask(SIG_UNBLOCK, &one, nil)
    pthread_sigmask(SIG_BLOCK, &one, nil)
    if isStopped { kill(processID, SIGCONT) }
  }

  /// The terminal sends its signals to the whole group, the program included. What was sent to this process alone is
  /// passed on.
  private func pass(_ number: Int32, _ info: siginfo_t) {
    guard number != SIGCHLD, info.si_code <= 0 else { return }
    if number == SIGCONT, !isStopped { return }
    kill(processID, number)
  }
}

/// The signals that wait for `ChildProgram.wait`, and the mask that the program gets back.
public struct SignalSet: ~Copyable {
  fileprivate var waited = sigset_t()
  fileprivate var original = sigset_t()

  fileprivate init() {
    sigemptyset(&waited)
    for number in [
      SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU,
      SIGWINCH,
    ] { sigaddset(&waited, number) }
    pthread_sigmask(SIG_BLOCK, &waited, &original)
  }
}

private func withCStrings<R>(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
) -> R {
  var pointers = strings.map { strdup($0) } + [nil]
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
}
