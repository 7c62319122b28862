import CRLTraceShims
import Foundation
import ProgramRecorder
import Symbolication
import TraceRecorder

/// Explains why a program cannot be recorded, or why its recording is empty. It states only known facts.
struct NoRunReason {
  let command: String
  /// Why the program itself cannot be recorded; nil when no obstacle is known.
  let beforeStart: String?
  /// Whether neither run loops nor tasks and queues of the program can be seen, because it was stripped.
  let hidesSwiftRuntime: Bool

  /// Examines the program's file. `recordsAllQueues`: jobs of a static Swift runtime are recorded as well.
  init(command: String, file: String, recordsAllQueues: Bool) {
    self.command = command
    let facts = try? ExecutableFacts(path: file)
    beforeStart = facts.flatMap { NoRunReason.obstacle(command, $0, recordsAllQueues) }
    hidesSwiftRuntime = facts?.hidesSwiftRuntime ?? false
  }

  private static func obstacle(_ command: String, _ facts: ExecutableFacts, _ recordsAllQueues: Bool)
    -> String?
  {
    if facts.isPrivileged {
      return
        "\(command) runs with elevated privileges (setuid, setgid or capabilities), so the loader ignores preloaded "
        + "libraries: rltrace cannot record it"
    }
    let hasFoundation = facts.needed.contains { $0.hasPrefix(LoadedLibraries.foundation) }
    if !hasFoundation, facts.defines("CFRunLoopRunSpecific") {
      return
        "\(command) links Foundation statically: rltrace cannot record "
        + (recordsAllQueues ? "more than the jobs of Swift's executor" : "it")
        + "; link Foundation dynamically (without -static-stdlib), or embed RunLoopTrace"
    }
    if !facts.isDynamic {
      return "\(command) is statically linked and cannot load a library: rltrace cannot record it"
    }
    if facts.needed.contains(where: { $0.hasPrefix("libasan.so") }), sanitizerMustComeFirst {
      return
        "\(command) links libasan.so, which ends a program that loads another library before it: rltrace cannot "
        + "record it; set ASAN_OPTIONS=verify_asan_link_order=0"
    }
    return nil
  }

  /// Whether address sanitizer of GCC checks that it is the first library. Clang's is part of the program.
  private static var sanitizerMustComeFirst: Bool {
    let options = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] ?? ""
    return !options.contains("verify_asan_link_order=0")
  }

  /// Why the loops, tasks and queues of a stripped program stay unseen; nil = they can be seen.
  var strippedRuntime: String? {
    guard hidesSwiftRuntime else { return nil }
    return
      "\(command) contains the Swift runtime and was stripped: rltrace cannot see its run loops, tasks and queues. "
      + "Link it without -static-stdlib, or keep its symbols: then --queues all records the jobs of its executor"
  }

  /// Returns the reason for a program that has run for some time. `process` is its id.
  func soFar(_ spool: Spool, process: Int32) -> String {
    if !spool.hasSeen(Int(RLT_SEEN_PROCESS)) { return "\(command) has not loaded the recording library" }
    if spool.hasSeen(Int(RLT_SEEN_QUEUE)) { return idleQueue }
    return LoadedLibraries.path(of: LoadedLibraries.foundation, process: "\(process)") == nil
      ? "\(command) has not loaded Foundation"
      : "\(command) has loaded Foundation and is waiting or doing other work"
  }

  /// Returns the reason for a recording that ended. `end` is nil if the recording ended before the program did.
  func afterEnd(_ recording: ProgramRecording, process: Int32, _ end: ProgramEnd?) -> String {
    let spool = recording.rootSpool
    if beforeStart != nil { return "\(command) could not be recorded" }
    if let place = recording.spoolTakenFrom { return "another process moved or removed \(place)" }
    if spool.isCut, let cut = spool.cut { return cut.text(spool.path ?? "its memory") }
    guard let end else { return "the recording ended first; " + soFar(spool, process: process) }
    // The behaviour of the processes that are still running is not known.
    if recording.stillRunning > 0 {
      return "the recording ended with \(command), and other processes were still running"
    }
    if spool.hasSeen(Int(RLT_SEEN_QUEUE)) { return idleQueue }
    if let strippedRuntime { return strippedRuntime }
    // The library may not have been loaded yet.
    if case .signalled(let signal) = end {
      return "\(command) was killed by signal \(signal) before it ran one"
    }
    if !spool.hasSeen(Int(RLT_SEEN_PROCESS)) { return "\(command) did not load the recording library" }
    if recording.executedLockedOut {
      return
        "\(command) dropped privileges or changed its root directory, and then executed a program that cannot open "
        + (spool.path ?? "its memory")
    }
    // It is not known whether these processes ran a loop.
    if spool.leftOut > 0 { return "rltrace could not record all processes of \(command)" }
    // The library sets this flag when the process ends. A program that the process executed may lack the library.
    guard spool.hasSeen(Int(RLT_SEEN_END)) else { return "\(command) ended before it ran one" }
    if spool.hasSeen(Int(RLT_SEEN_FOUNDATION)) {
      return
        "\(command) loaded Foundation but ran no CFRunLoop, and no work of dispatchMain() or an async main was "
        + "recorded"
    }
    return "\(command) does not use CFRunLoop: Foundation was not loaded when it ended"
  }

  /// The reason for a program that began `dispatchMain()` or an async main and then ran nothing on its main queue.
  private var idleQueue: String {
    "\(command) uses dispatchMain() or an async main instead of a CFRunLoop; nothing ran on its main queue afterwards"
  }
}
