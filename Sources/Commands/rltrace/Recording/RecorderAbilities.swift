import CRLTraceShims
import CRLTraceStacks
import SystemSupport

/// The abilities of a recorder that filters of system calls and restrictions of /proc may take away. Each one is tried
/// in this process.
enum RecorderAbilities {
  /// Whether a thread can copy memory of its process through the kernel: its stack, and words of locks.
  static var copiesMemory: Bool {
    var word: UInt64 = 0x726C_7472_6163_6521, copy: UInt64 = 0
    let isCopied = withUnsafePointer(to: &word) { address in
      rlt_read_memory(UInt64(UInt(bitPattern: address)), &copy, MemoryLayout<UInt64>.size)
    }
    return isCopied != 0 && copy == word
  }

  /// Whether the end of a process that another process started can be noticed.
  static var followsProcesses: Bool {
    let descriptor = rlt_process_open(getpid())
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }

  /// The facts about a waiting thread that the system does not give, in words; nil if no thread can be started to look.
  /// Takes 0.2 s if the system does not give the system call.
  static var hiddenFacts: [String]? {
    let facts = Locked<[Fact]>([])
    let waiting = rlt_os_thread_id()
    guard let thread = try? NativeThread("rltrace-doctor", { facts.withLock { $0 = evidence(of: waiting) } })
    else { return nil }
    thread.join()
    return facts.withLock { $0 }.filter { !$0.isKnown }.map { $0.name }
  }

  private typealias Fact = (name: String, isKnown: Bool)

  /// Reads the facts about a thread that waits, or is about to.
  private static func evidence(of thread: UInt64) -> [Fact] {
    var evidence = rlt_thread_evidence()
    for _ in 0..<200 {
      rlt_read_thread_evidence(thread, &evidence)
      if evidence.system_call != .max { break }
      usleep(1_000)
    }
    return known(evidence)
  }

  private static func known(_ evidence: rlt_thread_evidence) -> [Fact] {
    [
      ("system calls", evidence.system_call != .max), ("time on a processor", evidence.cpu_ns != .max),
      ("blocked signals", evidence.blocked_signals != .max),
      ("input and output", evidence.read_bytes != .max),
    ]
  }
}
