import SystemSupport
import TraceRecorder

/// The reason why a program could not be started.
package struct LaunchError: Error, Sendable {
  package let code: Int32
}

/// A child program that shares this process's group, terminal and standard streams.
///
/// Use it on one thread only: the thread that called `blockSignals` before any other thread was created.
package struct ChildProgram: ~Copyable {
  package let processID: pid_t
  private var signals: SignalSet
  private var isStopped = false
  /// The signals that this process got, and passed on or shared with the program.
  private var received: Set<Int32> = []
  /// False if the system did not report how the program ended. Then `wait` returns status 0.
  package private(set) var knowsEnd = true

  /// Blocks the signals that this process leaves to the program.
  package static func blockSignals() -> SignalSet { SignalSet() }

  /// Starts `command`, which is looked up as a shell would. `ignoredHere`: the signals that this process ignores for
  /// itself. `output`: the descriptor that the program gets as standard output and standard error, with an empty
  /// standard input; nil = it gets the streams of this process.
  package init(
    command: [SystemText], environment: [SystemText], signals: consuming SignalSet, ignoredHere: [Int32],
    output: Int32? = nil
  ) throws(LaunchError) {
    processID = try ChildProgram.start(command, environment, signals, ignoredHere, output)
    // A process that ignores SIGCHLD does not learn how its children end. The program still inherits the setting that
    // this process had.
    signal(SIGCHLD, SIG_DFL)
    self.signals = signals
  }

  /// Starts another program alongside this one, with the streams and the signals of the terminal.
  package func startBeside(
    _ command: [SystemText], environment: [SystemText], ignoredHere: [Int32]
  ) throws(LaunchError) -> pid_t {
    try ChildProgram.start(command, environment, signals, ignoredHere, nil)
  }

  private static func start(
    _ command: [SystemText], _ environment: [SystemText], _ signals: borrowing SignalSet,
    _ ignoredHere: [Int32], _ output: Int32?
  ) throws(LaunchError) -> pid_t {
    #if canImport(Darwin)
    var attributes: posix_spawnattr_t?
    #else
    var attributes = posix_spawnattr_t()
    #endif
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var mask = signals.original
    unsafe posix_spawnattr_setsigmask(&attributes, &mask)
    var defaults = sigset_t()
    unsafe sigemptyset(&defaults)
    for number in ignoredHere { unsafe sigaddset(&defaults, number) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    #if canImport(Darwin)
    var streams: posix_spawn_file_actions_t?
    #else
    var streams = unsafe posix_spawn_file_actions_t()
    #endif
    unsafe posix_spawn_file_actions_init(&streams)
    defer { unsafe posix_spawn_file_actions_destroy(&streams) }
    if let output {
      unsafe posix_spawn_file_actions_addopen(&streams, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
      unsafe posix_spawn_file_actions_adddup2(&streams, output, STDOUT_FILENO)
      unsafe posix_spawn_file_actions_adddup2(&streams, output, STDERR_FILENO)
    }

    var process = pid_t()
    let code = unsafe withCStrings(command) { arguments in
      unsafe withCStrings(environment) { variables in
        unsafe posix_spawnp(&process, arguments[0]!, &streams, &attributes, arguments, variables)
      }
    }
    guard code == 0 else { throw LaunchError(code: code) }
    return process
  }

  /// Waits for the program's end, and passes signals on. `tick` is called about every 100 ms, or every 10 ms while it
  /// returns true, with the `sharedSignals` that were taken so far. `onUserSignal` is called for SIGUSR2 sent to this
  /// process; it returns true if the signal was meant for the recorder. `onStop` is called with the signal that stopped
  /// the program, and `onContinue` when the program continues, both without delay.
  package mutating func wait(
    tick: (_ shared: Set<Int32>) -> Bool, onUserSignal: () -> Bool, onStop: (_ signal: Int32) -> Void,
    onContinue: () -> Void
  ) -> ProgramEnd {
    var isBusy = false
    while true {
      if let end = reap(onStop, onContinue) { return end }
      if let signal = signals.next(withinNs: isBusy ? 10_000_000 : 100_000_000),
        !(signal.number == SIGUSR2 && onUserSignal())
      {
        pass(signal)
      }
      isBusy = tick(received)
    }
  }

  private mutating func reap(_ onStop: (Int32) -> Void, _ onContinue: () -> Void) -> ProgramEnd? {
    var status: Int32 = 0
    while true {
      let found = unsafe waitpid(processID, &status, WNOHANG | WUNTRACED | WCONTINUED)
      if found < 0, errno == EINTR { continue }
      guard found == processID else {
        guard found < 0 else { return nil }
        knowsEnd = false
        return .exited(0)
      }
      if status & 0xFF == 0x7F {
        isStopped = true
        onStop(status >> 8 & 0xFF)
        mirrorStop(status >> 8 & 0xFF)
      } else if status == 0xFFFF {
        isStopped = false
        onContinue()
      } else {
        return ProgramEnd(waitStatus: status)
      }
    }
  }

  /// The signals that this process got, and passed on or shared with the program. An end by one of them was wanted.
  package var sharedSignals: Set<Int32> {
    var pending = sigset_t()
    guard unsafe sigpending(&pending) == 0 else { return received }
    // The program may have died before this process took the signal.
    return received.union(
      SignalSet.numbers.filter { number in
        unsafe number != SIGCHLD && sigismember(&pending, number) == 1
      })
  }

  /// Stops this process when the program was stopped from the terminal, so that the shell sees its job stopped.
  /// SIGSTOP is not mirrored: its sender addresses a single process.
  private func mirrorStop(_ number: Int32) {
    guard [SIGTSTP, SIGTTIN, SIGTTOU].contains(number) else { return }
    var one = sigset_t()
    unsafe sigemptyset(&one)
    unsafe sigaddset(&one, number)
    kill(getpid(), number)
    // The process stops here until a SIGCONT arrives.
    unsafe pthread_sigmask(SIG_UNBLOCK, &one, nil)
    unsafe pthread_sigmask(SIG_BLOCK, &one, nil)
    if isStopped { kill(processID, SIGCONT) }
  }

  /// Passes on a signal that was sent to this process alone. The terminal sends its signals to the whole group,
  /// including the program.
  private mutating func pass(_ signal: ReceivedSignal) {
    let number = signal.number
    // A timer that was set before this process became the recorder belongs to the program.
    let isOfTimer = [SIGALRM, SIGVTALRM, SIGPROF].contains(number)
    if number != SIGCHLD, !isOfTimer { received.insert(number) }
    guard number != SIGCHLD, signal.isOfProcess || isOfTimer else { return }
    if number == SIGCONT, !isStopped { return }
    kill(processID, number)
  }
}

/// The signals that `ChildProgram.wait` takes, and the original mask, which the program gets.
package struct SignalSet: ~Copyable {
  fileprivate var waited = sigset_t()
  fileprivate var original = sigset_t()

  /// All signals except those that a process causes itself by a fault or by its output. The first two real-time
  /// signals belong to the C library.
  fileprivate static let numbers: [Int32] =
    [
      SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU,
      SIGWINCH, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGXCPU, SIGURG,
    ] + ofSystem

  #if canImport(Darwin)
  private static let ofSystem: [Int32] = []
  #else
  private static let ofSystem: [Int32] = [SIGPWR] + [Int32](34...64)
  #endif

  fileprivate init() {
    unsafe sigemptyset(&waited)
    for number in SignalSet.numbers { unsafe sigaddset(&waited, number) }
    unsafe pthread_sigmask(SIG_BLOCK, &waited, &original)
  }
}

/// A signal that this process received.
private struct ReceivedSignal {
  let number: Int32
  /// Whether a process sent it to this one alone, rather than the terminal to its group.
  let isOfProcess: Bool
}

extension SignalSet {
  /// Waits for one of the signals. Returns nil if none comes in time.
  fileprivate mutating func next(withinNs limitNs: Int) -> ReceivedSignal? {
    #if canImport(Darwin)
    // Darwin has no wait with a time limit, and none that reports the sender.
    var pending = sigset_t()
    unsafe sigpending(&pending)
    if !SignalSet.numbers.contains(where: { unsafe sigismember(&pending, $0) == 1 }) {
      var time = timespec(tv_sec: 0, tv_nsec: limitNs)
      unsafe nanosleep(&time, nil)
      return nil
    }
    var number: Int32 = 0
    return unsafe sigwait(&waited, &number) == 0 ? ReceivedSignal(number: number, isOfProcess: true) : nil
    #else
    var info = unsafe siginfo_t()
    var limit = timespec(tv_sec: 0, tv_nsec: limitNs)
    let number = unsafe sigtimedwait(&waited, &info, &limit)
    return number > 0 ? unsafe ReceivedSignal(number: number, isOfProcess: info.si_code <= 0) : nil
    #endif
  }
}

private func withCStrings<R>(
  _ texts: [SystemText], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
) -> R {
  var pointers = unsafe texts.map { unsafe strdup($0.cString) } + [nil]
  defer { unsafe pointers.forEach { unsafe free($0) } }
  return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress!) }
}
