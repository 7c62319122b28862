import CRLTraceShims
import Foundation
import Symbolication
import TraceRecorder

/// Why a program cannot be recorded, or why its recording holds nothing.
enum NoRunReason {
  /// What is known before the program starts; nil when nothing speaks against it.
  static func beforeStart(command: String) -> String? {
    guard let facts = facts(command), facts.isPrivileged else { return nil }
    return
      "\(command) runs with other rights than yours (setuid, setgid or capabilities), so the loader ignores "
      + "preloaded libraries: nothing will be recorded"
  }

  static func afterEnd(command: String, _ spool: Spool) -> String {
    let facts = facts(command)
    if facts?.defines("CFRunLoopRunSpecific") == true {
      return "\(command) has Foundation linked in statically, where its run loop cannot be reached; link it "
        + "dynamically (without -static-stdlib), or embed RunLoopTrace"
    }
    if !spool.hasSeen(Int(RLT_SEEN_PROCESS)) {
      return facts?.isDynamic == false
        ? "\(command) is statically linked, no library can be put into it"
        : "the recording library did not get into \(command)"
    }
    if !spool.hasSeen(Int(RLT_SEEN_FOUNDATION)) {
      return
        "\(command) does not use CFRunLoop (Foundation was not loaded when it ended, or it was killed before)"
    }
    return "\(command) has Foundation and ran no CFRunLoop (dispatchMain() and an async main run none)"
  }

  private static func facts(_ command: String) -> ExecutableFacts? {
    found(command).flatMap { try? ExecutableFacts(path: $0) }
  }

  /// The file behind a command, as a shell finds it.
  private static func found(_ command: String) -> String? {
    guard !command.contains("/") else { return command }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").map { "\($0)/\(command)" }.first { access($0, X_OK) == 0 }
  }
}
