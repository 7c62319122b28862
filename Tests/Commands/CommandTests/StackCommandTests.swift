import Foundation
import TestSupport
import Testing

/// `rltrace stack`.
@Suite struct StackCommandTests {
  private func path(_ name: String) -> String {
    ProjectFiles.root.appendingPathComponent("Tests/Fixtures/Stacks/\(name)").path
  }

  private func stack(_ arguments: String..., input: String = "") throws -> Program.Result {
    try Program.rltrace.run(["stack"] + arguments, input: input)
  }

  @Test func namesFunctionAndCause() throws {
    let result = try stack(path("location.txt"))
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines[0].hasSuffix("location.txt: numbered list of frames"))
    for line in [
      "blamed      TrackRecorder.mayRecord.getter TrackRecorder.swift:88 (Trails)",
      "cause       synchronous IPC",
      "rule        location-permission, by _dispatch_mach_send_and_wait_for_reply (libdispatch.dylib),",
      "remedy      Use a cached value",
      "confidence  low: a single sample", "  >  11  TrackRecorder.mayRecord.getter",
    ] {
      #expect(lines.contains { $0.hasPrefix(line) }, "\(line) is not in\n\(result.output)")
    }
    #expect(lines.dropFirst().allSatisfy { $0.count <= 100 })
  }

  /// A monitor's own thread is not to blame. docs/explanation/stacks.md shows the output.
  @Test func aLiveReport() throws {
    let page = try ProjectFiles.text("docs/explanation/stacks.md")
    let output = try stack(path("plcrashreporter-live.txt")).output
    for line in [
      "plcrashreporter-live.txt: PLCrashReporter report (Orchard)\n",
      "\nblamed      -[Basket total] (Orchard)\n",
      "\ncause       waiting for a lock\n",
    ] {
      #expect(output.contains(line), "\(line)\n\(output)")
      #expect(page.contains(line.trimmingCharacters(in: .newlines)), "\(line)")
    }
    #expect(output.contains("live report") && !output.contains("StallMonitor"), "\(output)")
  }

  @Test func standardInputAndCollapsed() throws {
    let text = String(decoding: try ProjectFiles.bytes("Tests/Fixtures/Stacks/sample.txt"), as: UTF8.self)
    let result = try stack("-", "--format", "collapsed", input: text)
    let lines = result.output.split(separator: "\n")
    #expect(
      lines.count == 5
        && lines.allSatisfy { $0.hasPrefix("thread 1166804 \"com.apple.main-thread\";start;main;") })
    #expect(lines.contains { $0.hasSuffix(";read 400") })
    let seen = try stack("-", input: text).output
    #expect(seen.contains("seen        2757 samples; 2000 waited for events"))
    #expect(seen.contains("others\n  7.5 % Player + 24556, CPU"), "\(seen)")
    #expect(seen.contains("1 other thread was not judged: use --all"))
  }

  @Test func json() throws {
    let result = try stack(path("metrickit.json"), "--format", "json", "--all")
    let document = try JSONValues(result.output).root
    #expect(
      document["schema"] as? String == "rltrace.stack/1" && document["format"] as? String == "metrickit")
    let threads = try #require(document["threads"] as? [[String: Any]])
    #expect(threads.count == 2 && threads[1]["samples"] as? Int == 20)
    let groups = try #require(threads[1]["groups"] as? [[String: Any]])
    #expect(groups.map { $0["cause"] as? String } == ["drawing", "cpu"])
    #expect(
      groups[0]["confidence_reasons"] as? [String] == ["no_name", "images_guessed", "share", "samples"])
  }

  /// The owners of the locks, in texts with and without them.
  @Test func deadlock() throws {
    let text = String(
      decoding: try ProjectFiles.bytes("Tests/Fixtures/Stacks/gdb-deadlock.txt"), as: UTF8.self)
    func words(_ text: String, _ options: String...) throws -> String {
      let result = try Program.rltrace.run(["stack", "-"] + options, input: text)
      return result.output.split { $0.isWhitespace }.joined(separator: " ")
    }
    let silent = try words(text, "--all")
    #expect(
      silent.contains(
        "locks thread 2 \"db writer\" (0x561f250b20a0 a), thread 1 \"stall\" (0x561f250b20e0 b) wait for locks. "
          + "The text does not show their owners; the threads may or may not wait for each other. In gdb, 'x/3dw 0x561f250b20a0'"
      ),
      "\(silent)")
    #expect(!silent.contains("deadlock thread"))
    let asked = text + "0x561f250b20a0 <a>:\t2\t0\t5297\n0x561f250b20e0 <b>:\t2\t0\t5299\n"
    let shown = try words(asked, "--all")
    #expect(
      shown.contains(
        "deadlock thread 2 \"db writer\" waits for a lock (0x561f250b20a0 a) that thread 1 \"stall\" holds, and "
          + "thread 1 \"stall\" waits for a lock (0x561f250b20e0 b) that thread 2 \"db writer\" holds: none of them can continue."
      ), "\(shown)")
    // Deadlock cycles are found whichever thread is judged.
    #expect(try words(asked).contains("deadlock thread 2 \"db writer\" waits for a lock"))
    let json = try stack("-", "--all", "--format", "json", input: asked).output
    struct Document: Decodable {
      struct Lock: Decodable {
        var thread: String
        var owner: String?
        var ownerId: UInt64?
      }
      struct Deadlock: Decodable { var threads: [String] }
      var locks: [Lock]
      var deadlocks: [Deadlock]
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let document = try decoder.decode(Document.self, from: Data(json.utf8))
    #expect(document.locks.map(\.ownerId) == [5297, 5299])
    #expect(document.locks.map(\.owner) == document.locks.reversed().map(\.thread))
    #expect(document.deadlocks.map(\.threads) == [["thread 2 \"db writer\"", "thread 1 \"stall\""]])
  }

  /// Two threads that wait for each other's queues wait for no lock.
  @Test func aDeadlockOfQueues() throws {
    let text = String(
      decoding: try ProjectFiles.bytes("Tests/Fixtures/Stacks/spindump-deadlock.txt"), as: UTF8.self
    ).replacing("_pthread_mutex_firstfit_lock_slow", with: "__DISPATCH_WAIT_FOR_QUEUE__")
      .replacing("-[NSLock lock]", with: "_dispatch_sync_f_slow")
    let output = try stack("-", input: text).output.split { $0.isWhitespace }.joined(separator: " ")
    #expect(
      output.contains("waits for a dispatch queue whose blocks Ledger [612] thread 0x2cb01"), "\(output)")
    #expect(output.contains("none of them can continue") && !output.contains("a lock"), "\(output)")
  }

  private func foreign(_ name: String) -> String {
    ProjectFiles.root.appendingPathComponent("Tests/Fixtures/ForeignStacks/\(name)").path
  }

  @Test func factsOfTheText() throws {
    let output = try stack(foreign("s6-ips-309-watchdog-deadlock.ips")).output.split { $0.isWhitespace }
      .joined(
        separator: " ")
    for words in [
      "stated termination: FRONTBOARD 0x8badf00d (the watchdog ended the app because",
      "stated watchdog event: scene-update",
      "stated app CPU time: 0.031 s, 0 % CPU (the app used little CPU time: it waited)",
    ] { #expect(output.contains(words), "\(words) is not in \(output)") }
  }

  @Test func aDeadlockThatTheTextNames() throws {
    let output = try stack(foreign("s5-spindump-variants.txt")).output.split { $0.isWhitespace }.joined(
      separator: " ")
    #expect(
      output.contains(
        "deadlock Shelf [520] thread 0xa0f2 \"Worker\" waits for a lock and, through other threads, for itself"
      ),
      "\(output)")
    #expect(output.contains("and, through other threads, for Shelf [520] thread 0xa0f2"), "\(output)")
  }

  /// Each text counts equally.
  @Test func severalTexts() throws {
    let names = ["s6-ips-309-watchdog-deadlock.ips", "s6-ips-309-watchdog-deadlock.ips"].map(foreign)
    let text = try stack(names[0], names[1])
    #expect(text.status == 0 && text.output.hasPrefix("2 texts: Apple .ips report (Trailhead)\n"), "\(text)")
    #expect(text.output.contains("ReplayKitLite + 414916, in 2 of 2 texts"))
    let json = try stack(names[0], names[1], "--format", "json").output
    let document = try JSONValues(json).root
    #expect((document["texts"] as? [Any])?.count == 2 && (document["files"] as? [Any])?.count == 2)
    let collapsed = try stack(names[0], names[1], "--format", "collapsed").output.split(separator: "\n")
    #expect(collapsed.count == 1 && collapsed[0].hasPrefix("main thread;") && collapsed[0].hasSuffix(" 2"))
    let other = try stack(names[0], foreign("s5-spindump-variants.txt"))
    #expect(
      other.status == 64 && other.errorLines.count == 1 && other.errors.contains("give texts of one kind"))
  }

  @Test func namesFromFilesOfTheSameBuild() throws {
    let folder = try TemporaryFolder()
    let built = try Program(
      shell: """
        cat >shop.c <<'END'
        int load(int n) { volatile int i = n; return i; }
        int main(void) { return load(3); }
        END
        clang -g -O0 shop.c -o shop && nm shop | sed -n 's/ T load$//p'
        """
    ).run([], folder: folder.path)
    let offset = try #require(UInt64(built.output.trimmingCharacters(in: .whitespacesAndNewlines), radix: 16))
    let place = String(offset + 6, radix: 16)
    let text =
      "./shop(+0x\(place)) [0x55c76bda050e]\n/lib/x86_64-linux-gnu/libc.so.6(+0x27) [0x7fe59506c24a]\n"
    let plain = try stack("-", input: text)
    #expect(plain.output.contains("blamed      shop + \(offset + 6)"), "\(plain)")
    let named = try stack("-", "--symbols", folder.path, input: text)
    #expect(named.output.contains("blamed      load ") && named.output.contains("shop.c:1"), "\(named)")
  }

  /// Control characters reach neither a terminal nor a file of stacks.
  @Test(arguments: ["text", "collapsed", "markdown", "json"]) func hostileNames(format: String) throws {
    let result = try stack(foreign("h-evil-names.ips"), "--format", format)
    let harmful = result.output.unicodeScalars.filter {
      $0 != "\n" && $0.properties.generalCategory == .control || $0 == "\u{202E}" || $0 == "\u{2028}"
    }
    #expect(result.status == 0 && harmful.isEmpty, "\(Array(harmful))")
    if format == "collapsed" { #expect(result.output.split(separator: "\n").count == 1) }
  }

  /// An answer as a colleague would write it: cause, function, evidence, remedy.
  @Test(arguments: [
    "s1-metrickit-watchdog-crash.json", "s3b-sample-multiple-not-first.txt", "s4-ios-hang-228.ips",
    "s5-spindump-variants.txt", "s6-ips-309-watchdog-deadlock.ips",
  ])
  func markdown(name: String) throws {
    let lines = try stack(foreign(name), "--format", "markdown").output.split(separator: "\n")
    #expect(lines[0].hasPrefix("### ") && lines.contains { $0.hasPrefix("**Function**: ") })
    #expect(lines.contains { $0.hasPrefix("**Confidence**: ") } && lines.contains { $0.hasPrefix("| ") })
    #expect(lines.last?.hasPrefix("Read from ") == true)
  }

  @Test func formats() throws {
    let result = try stack("--formats")
    #expect(result.status == 0 && result.output.hasPrefix("| kind | what |"))
    #expect(try stack().status == 64)
  }

  /// Mangled names are demangled.
  @Test func demangles() throws {
    #expect(try stack(path("gdb-swift.txt")).output.contains("blamed      Store.read(_:)"))
  }

  @Test func ownImagesAndRules() throws {
    let folder = try TemporaryFolder()
    try
      "rules:\n  - {id: feeds, cause: lock, means: 'The feed list waits.', symbols: ['*FeedList.refresh*'], own: true}\n"
      .write(toFile: folder.file("mine.yaml"), atomically: true, encoding: .utf8)
    let result = try stack(
      path("apple-crash.txt"), "--rules", folder.file("mine.yaml"), "--app-image", "Read*")
    #expect(
      result.output.contains(
        "rule        feeds (yours), by closure #1 in FeedList.refresh() FeedList.swift:61"))
    #expect(
      try stack(path("apple-crash.txt"), "--app-image", "None").output.contains(
        "confidence  none: no function"))
    try "rules:\n  - {id: feeds}\n".write(toFile: folder.file("bad.yaml"), atomically: true, encoding: .utf8)
    let bad = try stack(path("apple-crash.txt"), "--rules", folder.file("bad.yaml"))
    #expect(bad.status == 65 && bad.errors.contains("bad.yaml:2: a rule needs 'cause'"), "\(bad.errors)")
  }

  @Test func whichThread() throws {
    #expect(
      try stack(path("gdb-deadlock.txt"), "--thread", "2").output.contains("blamed      second stall.c:11"))
    let all = try stack(path("gdb-deadlock.txt"), "--all").output
    #expect(all.contains("thread 2 \"db writer\"") && all.contains("thread 1 \"stall\""))
    let unknown = try stack(path("gdb-deadlock.txt"), "--thread", "9")
    #expect(unknown.status == 64 && unknown.errors.contains("known: thread 2 \"db writer\", thread 1"))
    #expect(try stack(path("gdb-deadlock.txt"), "--thread", "9", "--all").status == 64)
  }

  @Test(arguments: [
    ("hello", Int32(65), "standard input:1: no known kind of stack"),
    ("#0  f () at a.c:1\n#2  g () at a.c:2\n", 65, "standard input:2: expected frame 1, but found frame 2"),
    ("", 65, "standard input: the text is empty"),
  ])
  func mistakes(text: String, status: Int32, what: String) throws {
    let result = try stack("-", input: text)
    #expect(
      result.status == status && result.errorLines.count == 1 && result.errors.contains(what),
      "\(result.errors)")
    #expect(result.output.isEmpty)
  }

  @Test func filesThatAreNotThere() throws {
    let missing = try stack("/no/such/file")
    #expect(missing.status == 66 && missing.errors.contains("No such file"))
    #expect(try stack(ProjectFiles.root.path).status != 0)
  }
}
