import CallStacks
import CheckedYAML
import Foundation
import RunLoopVocabulary
import TestSupport
import Testing

/// The built-in rules, rules from files, and the documentation of the rules.
@Suite struct CauseRuleTests {
  private func match(
    _ stack: CallStack, _ evidence: StallEvidence = StallEvidence(), _ rules: CauseRules? = nil
  ) throws -> CauseMatch {
    var judge = StackJudge(images: AppImages(), rules: try rules ?? CauseRules.builtIn())
    return judge.cause(of: stack, evidence: evidence)
  }

  private static let cases: [(name: String, frames: [String], rule: String)] = [
    ("futex", ["libc.so.6 futex_wait", "libc.so.6 pthread_mutex_lock@@GLIBC_2.2.5", "App f"], "lock"),
    ("mutex of an Apple system", ["libsystem_kernel.dylib __psynch_mutexwait", "App f"], "lock"),
    (
      "unfair lock",
      [
        "libsystem_kernel.dylib __ulock_wait2", "libsystem_platform.dylib _os_unfair_lock_lock_slow", "App f",
      ], "lock"
    ),
    (
      "dispatch_sync",
      ["libsystem_kernel.dylib __ulock_wait", "libdispatch.dylib __DISPATCH_WAIT_FOR_QUEUE__", "App f"],
      "queue"
    ),
    (
      "dispatch_sync on Linux",
      [
        "libc.so.6 syscall", "libdispatch.so _dispatch_futex_wait",
        "libdispatch.so _dispatch_thread_event_wait_slow", "libdispatch.so __DISPATCH_WAIT_FOR_QUEUE__",
        "libdispatch.so _dispatch_sync_f_slow", "App f",
      ], "queue"
    ),
    // dispatch_sync runs the block on the thread of its caller.
    (
      "file in dispatch_sync",
      [
        "libc.so.6 fsync", "App closure", "libdispatch.so _dispatch_client_callout",
        "libdispatch.so _dispatch_lane_barrier_sync_invoke_and_complete", "libdispatch.so dispatch_sync",
        "App f",
      ], "file-sync"
    ),
    (
      "mutex in dispatch_sync",
      [
        "libc.so.6 futex_wait", "libc.so.6 __lll_lock_wait", "libc.so.6 pthread_mutex_lock", "App closure",
        "libdispatch.so _dispatch_client_callout", "libdispatch.so _dispatch_sync_invoke_and_complete",
        "libdispatch.so dispatch_sync", "App f",
      ], "lock"
    ),
    (
      "condition", ["libc.so.6 __futex_abstimed_wait_common", "libc.so.6 pthread_cond_wait", "App f"],
      "condition"
    ),
    (
      "condition of an Apple system", ["libsystem_kernel.dylib __psynch_cvwait", "App f"], "condition"
    ),
    (
      "semaphore on Linux",
      [
        "libc.so.6 __futex_abstimed_wait_common", "libc.so.6 __new_sem_wait_slow64.constprop.0",
        "libdispatch.so _dispatch_sema4_wait", "libdispatch.so _dispatch_semaphore_wait_slow", "App f",
      ], "semaphore"
    ),
    (
      "group",
      [
        "libc.so.6 syscall", "libdispatch.so _dispatch_wait_on_address",
        "libdispatch.so _dispatch_group_wait_slow", "App f",
      ], "group"
    ),
    (
      "operations",
      [
        "libc.so.6 __futex_abstimed_wait_common", "libc.so.6 pthread_cond_wait",
        "libFoundation.so Operation.waitUntilFinished()", "App f",
      ], "group"
    ),
    (
      "thread", ["libc.so.6 __futex_abstimed_wait_common", "libc.so.6 __pthread_clockjoin_ex", "App f"],
      "thread-end"
    ),
    ("other thread", ["libc.so.6 futex_wait", "libnovel.so hold", "App f"], "other-thread"),
    (
      "initializer", ["libc.so.6 futex_wait", "libc.so.6 __pthread_once_slow", "App f"], "initializer"
    ),
    (
      "file in an initializer",
      [
        "libc.so.6 read", "App closure", "libc.so.6 __pthread_once_slow", "libswiftCore.so swift_once",
        "App f",
      ],
      "unknown-descriptor"
    ),
    (
      "semaphore in an initializer",
      [
        "libc.so.6 __futex_abstimed_wait_common", "libc.so.6 __new_sem_wait_slow64", "App closure",
        "libc.so.6 __pthread_once_slow", "App f",
      ], "semaphore"
    ),
    (
      "initializer of Rust",
      ["libc.so.6 syscall", "App std::sys::sync::once::futex::Once::call", "App f"], "initializer"
    ),
    // The C++ library joins the thread of std::async once.
    (
      "result of std::async",
      [
        "libc.so.6 __futex_abstimed_wait_common", "libc.so.6 __pthread_clockjoin_ex",
        "libstdc++.so.6 std::thread::join()", "libc.so.6 __pthread_once_slow", "App f",
      ], "thread-end"
    ),
    (
      "mutex of Rust",
      [
        "libc.so.6 syscall", "App std::sys::pal::unix::futex::futex_wait",
        "App std::sys::sync::mutex::futex::Mutex::lock_contended", "App f",
      ], "lock"
    ),
    (
      "mutex of an earlier Rust",
      ["libc.so.6 syscall", "App std::sys::unix::locks::futex_mutex::Mutex::lock_contended", "App f"], "lock"
    ),
    (
      "channel of Rust",
      [
        "libc.so.6 syscall", "App std::sys::pal::unix::futex::futex_wait",
        "App std::thread::thread::Thread::park", "App std::sync::mpmc::list::Channel<T>::recv", "App f",
      ], "condition"
    ),
    ("child process", ["libc.so.6 __wait4", "App f"], "child-process"),
    (
      "child process in a loop",
      [
        "libc.so.6 ppoll", "libFoundation.so __CFRunLoopServiceFileDescriptors",
        "libFoundation.so __CFRunLoopRun", "libFoundation.so CFRunLoopRunSpecific",
        "libFoundation.so RunLoop.run(mode:before:)", "libFoundation.so Process.waitUntilExit()", "App f",
      ], "child-process-in-loop"
    ),
    (
      "child process of Node.js",
      [
        "libc.so.6 epoll_pwait", "node uv__io_poll", "node uv_run",
        "node node::SyncProcessRunner::Spawn(v8::FunctionCallbackInfo<v8::Value> const&)",
      ], "child-process-of-node"
    ),
    (
      "remote contents",
      [
        "libc.so.6 __futex_abstimed_wait_common", "libc.so.6 pthread_cond_wait",
        "libFoundationNetworking.so _NSNonfileURLContentLoader.contentsOf(url:)",
        "libFoundationEssentials.so Data.init(contentsOf:options:)", "App f",
      ], "request-and-wait"
    ),
    (
      "mutex of Swift",
      ["libc.so.6 syscall", "libswiftSynchronization.so _MutexHandle._lock()", "App f"], "lock"
    ),
    ("read", ["libc.so.6 __GI___libc_read", "App f"], "unknown-descriptor"),
    ("written output", ["libc.so.6 write", "libc.so.6 fflush", "App f"], "unknown-descriptor"),
    (
      "read of a file", ["libc.so.6 read", "libFoundation.so FileManager.contents(atPath:)", "App f"],
      "file-access"
    ),
    ("pread", ["libsystem_kernel.dylib __pread_nocancel", "App f"], "file-access"),
    ("fsync", ["libc.so.6 fsync", "App f"], "file-sync"),
    ("open", ["libsystem_kernel.dylib __open", "App f"], "file-access"),
    ("database", ["libc.so.6 fdatasync", "libsqlite3.so.0 sqlite3_step", "App f"], "database"),
    ("poll", ["libc.so.6 __poll", "App f"], "socket-wait"),
    ("recv", ["libsystem_kernel.dylib __recvfrom", "App f"], "socket-wait"),
    ("recvmsg", ["libc.so.6 __libc_recvmsg", "App f"], "socket-wait"),
    ("library's read", ["libc.so.6 read", "libpq.so.5 pqsecure_raw_read", "App f"], "network-library"),
    ("socket's read", ["libc.so.6 __GI___libc_read", "App LineSocket.readLine()"], "socket-function"),
    ("connect", ["libc.so.6 connect", "App f"], "socket-wait"),
    (
      "look-up", ["libc.so.6 poll", "libc.so.6 __res_context_send", "libc.so.6 getaddrinfo", "App f"],
      "name-look-up"
    ),
    (
      "request",
      ["libc.so.6 poll", "libcurl.so.4 curl_multi_poll", "libcurl.so.4 curl_easy_perform", "App f"],
      "synchronous-request"
    ),
    (
      "request and semaphore",
      [
        "libsystem_kernel.dylib semaphore_wait_trap", "libdispatch.dylib _dispatch_semaphore_wait_slow",
        "App URLSession.data(waitingFor:)",
      ], "request-and-wait"
    ),
    ("semaphore", ["libsystem_kernel.dylib semaphore_wait_trap", "App f"], "semaphore"),
    (
      "XPC",
      [
        "libsystem_kernel.dylib mach_msg2_trap", "libxpc.dylib xpc_connection_send_message_with_reply_sync",
        "App f",
      ], "xpc-reply"
    ),
    (
      "NSXPC",
      [
        "libsystem_kernel.dylib mach_msg2_trap",
        "Foundation __NSXPCCONNECTION_IS_WAITING_FOR_A_SYNCHRONOUS_REPLY__", "App f",
      ], "xpc-reply"
    ),
    (
      "D-Bus", ["libc.so.6 poll", "libdbus-1.so.3 dbus_connection_send_with_reply_and_block", "App f"],
      "bus-reply"
    ),
    (
      "D-Bus by GLib",
      [
        "libc.so.6 poll", "libglib-2.0.so.0 g_main_context_iterate",
        "libgio-2.0.so.0 g_dbus_connection_call_sync", "App f",
      ], "bus-reply"
    ),
    ("Mach", ["libsystem_kernel.dylib mach_msg_trap", "SkyLight CGSGetWindow", "App f"], "mach-reply"),
    (
      "location",
      [
        "libxpc.dylib _xpc_connection_send_message_with_reply_sync", "CoreLocation _CLCopyTechnologiesInUse",
        "App f",
      ], "location-permission"
    ),
    (
      "loop",
      [
        "libsystem_kernel.dylib mach_msg2_trap", "CoreFoundation __CFRunLoopServiceMachPort",
        "CoreFoundation __CFRunLoopRun",
      ], "waits-for-events"
    ),
    (
      "loop on Linux",
      [
        "libc.so.6 ppoll", "libFoundation.so __CFRunLoopServiceFileDescriptors",
        "libFoundation.so __CFRunLoopRun",
      ], "waits-for-events"
    ),
    ("sleep", ["libc.so.6 clock_nanosleep@@GLIBC_2.17", "App f"], "sleep"),
    (
      "layout", ["UIKitCore -[UIView(Hierarchy) layoutBelowIfNeeded]", "App -[Grid layoutSubviews]"],
      "layout-and-drawing"
    ),
    (
      "commit", ["QuartzCore CA::Transaction::commit()", "CoreFoundation __CFRunLoopRun"],
      "layout-and-drawing"
    ),
    ("drawRect", ["App -[Chart drawRect:]", "QuartzCore CA::Layer::display_()"], "layout-and-drawing"),
    ("text", ["CoreText TLine::Create", "App f"], "text-and-graphics"),
    (
      "text on Linux", ["libharfbuzz.so.0 hb_shape_full", "libpango-1.0.so.0 pango_shape", "App f"],
      "text-and-graphics"
    ),
    ("cairo", ["libpixman-1.so.0 ???", "libcairo.so.2 cairo_paint", "App f"], "text-and-graphics"),
    ("decoding", ["Foundation JSONDecoder.decode<A>(_:from:)", "App f"], "decoding"),
    ("computing", ["App f", "App main"], "own-code-runs"),
  ]

  @Test(arguments: cases.indices) func rulesMatchLinuxAndAppleNames(index: Int) throws {
    let known = Self.cases[index]
    let frames = known.frames.map { text in
      let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
      return StackFrame(image: parts[0], symbol: parts[1] == "???" ? nil : parts[1])
    }
    let match = try match(CallStack(frames: frames))
    #expect(match.rule?.id == known.rule, "\(known.name): by \(match.frame?.name ?? "-")")
  }

  /// Leading underscores do not matter on either side.
  @Test func theFrameThatDecided() throws {
    let match = try match(
      BlameTests.stack(
        "libsystem_kernel.dylib _mach_msg", "libxpc.dylib ___xpc_connection_send_message_with_reply_sync",
        "CoreLocation CLClientStopVehicleHeadingUpdates", "App f"))
    #expect(match.cause == .ipc && match.index == 1)
    #expect(match.caller?.name == "CLClientStopVehicleHeadingUpdates")
    #expect(match.rule?.remedy?.contains("cached value") == true)
  }

  /// Only the cause "lock" gets advice about the order of locks.
  @Test func adviceAboutLocksIsForLocks() throws {
    for rule in try CauseRules.builtIn().rules where rule.cause != .lock {
      let words = (rule.remedy ?? "").lowercased().split { !$0.isLetter }
      #expect(!words.contains("lock") && !words.contains("locks"), "\(rule.id): \(rule.remedy ?? "")")
    }
    #expect(
      try CauseRules.builtIn().rules.filter { $0.remedy?.contains("orders") == true }.map(\.id) == ["lock"])
  }

  /// A rule for a system function does not match a function of the app with the same name.
  @Test func ownFunctionsAreNotTheSystems() throws {
    #expect(try match(BlameTests.stack("App read", "App main")).rule?.id == "own-code-runs")
    #expect(try match(BlameTests.stack("App CLClientStart", "App main")).rule?.id == "own-code-runs")
  }

  @Test func evidenceOtherThanTheStack() throws {
    let unknown = BlameTests.stack("libm.so.6 exp", "App f")
    #expect(try match(unknown).rule == nil && match(unknown).cause == .unknown)
    #expect(try match(unknown, StallEvidence(cpuShare: 0.95)).rule?.id == "busy-processor")
    #expect(try match(unknown, StallEvidence(cpuShare: 0.5)).rule == nil)
    #expect(try match(unknown, StallEvidence(systemCall: "futex")).cause == .wait)
    #expect(try match(unknown, StallEvidence(systemCall: "wait4")).rule?.id == "child-process")
    #expect(try match(unknown, StallEvidence(systemCall: "clock_nanosleep")).cause == .sleep)
    #expect(try match(unknown, StallEvidence(systemCall: "fsync")).cause == .disk)
    #expect(try match(unknown, StallEvidence(systemCall: "recvfrom")).cause == .network)
    let suspended = try match(unknown, StallEvidence(systemCall: "futex", isSuspended: true))
    #expect(suspended.cause == .suspended)
    // A lock that spins uses the processor instead of waiting.
    let lock = BlameTests.stack("libc.so.6 pthread_mutex_lock", "App f")
    #expect(try match(lock, StallEvidence(cpuShare: 0.9)).cause == .cpu)
    #expect(try match(CallStack(frames: []), StallEvidence(cpuShare: 0.9)).cause == .cpu)
  }

  /// A thread that runs in a system call copies data, and waits for nothing.
  @Test(arguments: ["readv", "writev", "recvmsg", "sendmsg", "stat", "SSL_read", "sqlite3_step"])
  func aRunningThreadWaitsForNothing(function: String) throws {
    let stack = BlameTests.stack("libc.so.6 \(function)", "App f")
    let unknown = try match(stack).cause
    #expect(unknown == .disk || unknown == .network)
    for share in [nil, 0.3, 0.9] as [Double?] {
      #expect(try match(stack, StallEvidence(cpuShare: share, isRunning: true)).cause == .cpu)
    }
    #expect(try match(stack, StallEvidence(isRunning: true)).rule?.id == "runs")
    // On a busy machine, a thread that waited for the disk is often ready, but has no processor.
    let sync = BlameTests.stack("libc.so.6 fsync", "App f")
    #expect(try match(sync, StallEvidence(cpuShare: 0.9, isRunning: true)).cause == .disk)
  }

  /// The descriptor decides what a call that reads or writes waits for. Without it, the cause is not certain.
  @Test(arguments: ["read", "writev"]) func descriptors(call: String) throws {
    func match(_ descriptor: DescriptorKind, _ frames: String...) throws -> CauseMatch {
      try self.match(
        CallStack(frames: frames.map { StackFrame(image: "libc.so.6", symbol: $0) }),
        StallEvidence(systemCall: call, descriptor: descriptor))
    }
    #expect(try match(.file, call).rule?.id == "file-descriptor")
    #expect(try match(.networkSocket, call).cause == .network)
    #expect(try match(.localSocket, call).cause == .ipc && match(.pipe, call).cause == .ipc)
    #expect(try match(.other, call).cause == .unknown)
    #expect(try match(.unknown, call).rule?.isCertain == false)
    // The name of a caller does not make a socket of a file.
    #expect(try match(.file, call, "sock_fill").cause == .disk)
    #expect(try match(.unknown, call, "sock_fill").cause == .network)
  }

  @Test func ownRulesComeFirst() throws {
    let own = try CauseRules(
      """
      rules:
        - id: keychain
          cause: ipc
          means: The keychain is asked.
          symbols: [SecItem*]
          called by: {images: [App], own: true, within: 2}
      """)
    let rules = own.before(try CauseRules.builtIn())
    let near = BlameTests.stack(
      "libsystem_kernel.dylib read", "Security SecItemCopyMatching", "Kit g", "App f")
    let found = try match(near, StallEvidence(), rules)
    #expect(found.rule?.id == "keychain" && found.rule?.isBuiltIn == false && found.index == 1)
    let far = BlameTests.stack(
      "libsystem_kernel.dylib read", "Security SecItemCopyMatching", "Security a", "Security b", "App f")
    #expect(try match(far, StallEvidence(), rules).rule?.id == "unknown-descriptor")
  }

  @Test(arguments: [
    ("", 0, "the file is empty"), ("rules: []", 1, "expected a list of rules"),
    ("rules:\n  - id: a\n", 2, "needs 'cause'"),
    ("rules:\n  - {id: a, cause: magic, means: b, suspended: true}", 2, "no cause 'magic'"),
    ("rules:\n  - {id: a, cause: cpu, means: b}", 2, "always holds"),
    ("rules:\n  - {id: a, cause: cpu, means: b, cpu above: 80}", 2, "a share from 0 to 1"),
    ("rules:\n  - {id: a, cause: cpu, means: b, symbols: x}", 2, "a list of names"),
    ("rules:\n  - {id: a, cause: cpu, means: b, called by: {symbols: [x]}}", 2, "also needs"),
    (
      "rules:\n  - {id: a, cause: cpu, means: b, symbols: [x], called by: {within: 2}}", 2,
      "symbols or images"
    ),
    ("rules:\n  - {id: a, cause: cpu, means: b, symbol: [x]}", 2, "unknown key 'symbol'"),
    (
      "rules:\n  - {id: a, cause: cpu, means: b, suspended: true}\n  - {id: a, cause: cpu, means: b, suspended: true}",
      3, "two rules have the id 'a'"
    ),
    ("rules: [", 1, "not YAML"),
  ])
  func mistakes(text: String, line: Int, what: String) throws {
    let error = #expect(throws: TextFileError.self) { try CauseRules(text) }
    #expect(error?.line == line || line == 1, "\(error?.description ?? "-")")
    #expect(error?.what.contains(what) == true, "\(error?.description ?? "-")")
  }

  /// docs/reference/causes.md has a row for each rule, in order. RLTRACE_UPDATE_GOLDEN=1 writes the rows.
  @Test func thePageHasTheRules() throws {
    let path = "docs/reference/causes.md"
    let page = try ProjectFiles.text(path)
    let rows = try CauseRules.builtIn().rules.map { rule in
      "| `\(rule.id)` | \(rule.cause.words) | \(rule.means) |"
    }
    let head = "| rule | cause | what it means |\n|---|---|---|\n"
    let start = try #require(page.range(of: head)).upperBound
    let end = page[start...].range(of: "\n\n")?.lowerBound ?? page.endIndex
    let updated = page[..<start] + rows.joined(separator: "\n") + page[end...]
    try GeneratedFile.expect(path, is: String(updated))
    for cause in StallCause.allCases {
      #expect(page.contains("| \(cause.words) | `\(cause.name)` |"), "\(cause.name)")
    }
  }

  @Test func globs() throws {
    let rules = try CauseRules(
      "rules:\n  - {id: a, cause: cpu, means: b, symbols: ['a*b*c', '*', 'x'], images: ['lib*.so']}")
    #expect(try match(BlameTests.stack("libm.so ???"), StallEvidence(), rules).rule == nil)
    #expect(try match(BlameTests.stack("libm.so anything"), StallEvidence(), rules).rule?.id == "a")
    #expect(try match(BlameTests.stack("libm.dylib anything"), StallEvidence(), rules).rule == nil)
  }
}
